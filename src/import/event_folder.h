// TensorBoard's event files -> what they tell of the run.
#pragma once

#include <filesystem>
#include <vector>

#include "import/imported_run.h"

namespace verbund {

// In the order in which TensorBoard reads them.
ImportedRun read_event_files(const std::vector<std::filesystem::path>& files);

}  // namespace verbund
