// SPDX-License-Identifier: Apache-2.0
// import_run() turns a run of another program into a run folder, which `verbund report` and other commands read like
// any other; docs/import.md describes it. To add a kind of source: write a reader that makes an ImportedRun, add its
// name to kSourceKinds, and a line each to recognise_source and import_run.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"

namespace verbund {

// `kind`: one of kSourceKinds, or "" to recognise it by its content. Returns the "imported" section of run.json.
Json import_run(const std::filesystem::path& source, const std::string& kind, const std::filesystem::path& run_folder);

inline constexpr std::array kSourceKinds = {"openseq2seq-log", "scalar-csv", "tensorboard-events"};

// One of kSourceKinds. Fails with what was expected and what was found. (Any other text file counts as a log, whose
// reader checks further.)
std::string recognise_source(const std::filesystem::path& source);

}  // namespace verbund
