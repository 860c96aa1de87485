#include "inspect/inspected_folder.h"

#include "checkpoint/checkpoint_format.h"
#include "core/error.h"
#include "core/file.h"
#include "data/dataset_format.h"
#include "inspect/run_contents.h"

namespace verbund {

InspectedFolder recognise_folder(const fs::path& folder) {
  if (fs::is_symlink(folder) && !fs::exists(folder)) {
    fail("{} points to {}, which is not there", folder.string(), fs::read_symlink(folder).string());
  }
  expect_folder(folder, "a dataset, a run or a checkpoint");
  if (fs::is_empty(folder)) fail("{} is empty: neither a dataset, nor a run, nor a checkpoint", folder.string());
  for (const char* name : {kCheckpointManifest, kWeightsFile, kStateFile}) {
    if (fs::exists(folder / name)) return InspectedFolder::kCheckpoint;
  }
  if (!fs::exists(folder / kDatasetManifest) && is_run_folder(folder)) return InspectedFolder::kRun;
  if (fs::exists(folder / kDatasetManifest) || fs::exists(folder / "work")) return InspectedFolder::kDataset;
  fail(
      "{} is neither a dataset (with {}), nor a run (with run.json, metrics.jsonl or checkpoints/), nor a checkpoint "
      "(with {})",
      folder.string(), kDatasetManifest, kCheckpointManifest);
}

}  // namespace verbund
