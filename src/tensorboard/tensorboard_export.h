// SPDX-License-Identifier: Apache-2.0
// Export of a run folder to TensorBoard events: from metrics.jsonl, the translations of its evaluations, its
// configuration and its first start.
#pragma once

#include "tensorboard/tensorboard_run.h"

namespace verbund {

struct ExportedRun {
  size_t lines = 0, damaged = 0;  // of metrics.jsonl
};

// Adds the lines of steps up to `last_step`, with the samples of their evaluations. Can be interrupted.
ExportedRun add_run(const fs::path& run_folder, int64_t last_step, TensorBoardRun& run);

// Creates a folder with the events of the run.
ExportedRun export_to_tensorboard(const fs::path& run_folder, const fs::path& out);

}  // namespace verbund
