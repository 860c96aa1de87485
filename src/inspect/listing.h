// SPDX-License-Identifier: Apache-2.0
// Listings of runs and checkpoints for `verbund inspect`: as text for people, as JSON for programs.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"
#include "inspect/checkpoint_contents.h"
#include "inspect/run_contents.h"

namespace verbund {

enum class InspectedFolder { kDataset, kRun, kCheckpoint };

// The kind of a folder. Fails, naming the files that each kind has, if it is none of them.
InspectedFolder recognise_folder(const std::filesystem::path& folder);

std::string show_run_contents(const RunContents& contents);
Json to_json(const RunContents& contents);

std::string show_checkpoint_contents(const CheckpointContents& contents);
Json to_json(const CheckpointContents& contents);

}  // namespace verbund
