// SPDX-License-Identifier: Apache-2.0
// The checks of a request to train that need neither dataset nor other workers. `train` makes them before anything
// else, and `doctor` for a training that is planned.
#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace verbund {

// Refuses settings that contradict each other.
void check_settings(const Config& config);

// Refuses 16 bits without what they need; first of all they need a device that has them.
void check_precision(const Config& config);

// Refuses a training that would never end.
void check_length(const Config& config);

// Refuses a path that is neither a run's folder nor an empty one nor still free.
void check_run_folder(const std::filesystem::path& path);

// Of worker 0 after a restart by `launch`: refuses a folder without the run that an earlier start has begun. It would
// train from step 0.
void check_continued_run(const std::filesystem::path& path, const std::string& host);

}  // namespace verbund
