// The TensorBoard events of a run from what is in its folder: metrics.jsonl, which is its curve, the translations of
// its evaluations, its configuration, its first start.
#pragma once

#include "tensorboard/tensorboard_run.h"

namespace verbund {

struct ToldRun {
  size_t lines = 0, damaged = 0;  // of metrics.jsonl
};

// Lines of steps up to `last_step`, with the samples of their evaluations.
ToldRun tell_run(const fs::path& run_folder, int64_t last_step, TensorBoardRun& run);

// A new folder with all that this run folder tells.
ToldRun export_to_tensorboard(const fs::path& run_folder, const fs::path& out);

}  // namespace verbund
