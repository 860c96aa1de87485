// Which kind of folder somebody has given: a dataset, a run or a checkpoint.
#pragma once

#include <filesystem>

namespace verbund {

enum class InspectedFolder { kDataset, kRun, kCheckpoint };

// Fails with what there should be, and what there is.
InspectedFolder recognise_folder(const std::filesystem::path& folder);

}  // namespace verbund
