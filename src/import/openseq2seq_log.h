// The console log of a training with OpenSeq2Seq -> what it tells of the run.
#pragma once

#include <filesystem>

#include "import/imported_run.h"

namespace verbund {

// Plain text, gzip or xz. Fails if it is no such log, and says what was looked for and what is there.
ImportedRun read_openseq2seq_log(const std::filesystem::path& path);

}  // namespace verbund
