// SPDX-License-Identifier: Apache-2.0
// Reader for the console log of a training run with OpenSeq2Seq.
#pragma once

#include <filesystem>

#include "import/imported_run.h"

namespace verbund {

// Plain text, gzip or xz. Fails on any other file, with what was expected and what was found.
ImportedRun read_openseq2seq_log(const std::filesystem::path& path);

}  // namespace verbund
