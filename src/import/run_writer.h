// SPDX-License-Identifier: Apache-2.0
// Writer of imported runs: the run folder is complete or absent.
#pragma once

#include <filesystem>

#include "core/json.h"
#include "import/imported_run.h"

namespace verbund {

// Fails unless `folder` is missing or empty.
void check_place_of_import(const std::filesystem::path& folder);

// Returns the "imported" section of its run.json.
Json write_imported_run(const ImportedRun& run, const std::filesystem::path& source,
                        const std::filesystem::path& folder);

}  // namespace verbund
