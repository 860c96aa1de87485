// SPDX-License-Identifier: Apache-2.0
// verbund inspect: shows the content of a dataset, a run or a checkpoint, and checks every byte that has a checksum.
#include <iostream>

#include "cli/command.h"
#include "cli/options.h"
#include "config/config.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "data/dataset.h"
#include "inspect/checkpoint_contents.h"
#include "inspect/dataset_contents.h"
#include "inspect/listing.h"
#include "inspect/mixture_contents.h"

namespace verbund {
namespace {

template <typename Contents>
void print(const Contents& contents, std::string (*show)(const Contents&), bool json) {
  std::cout << (json ? dump_json(to_json(contents), 2) + "\n" : show(contents));
}

void inspect_dataset(const fs::path& folder, const PairsToShow& wanted, bool json) {
  const Dataset dataset(folder);
  verify(dataset);
  const auto pairs = sample_pairs(dataset, wanted);
  std::cout << (json ? dump_json(dataset_contents(dataset, pairs), 2) + "\n" : show_dataset_contents(dataset, pairs));
}

struct MixtureRequest {
  bool wanted = false;
  std::string config;
  std::vector<std::string> data, overrides;
  size_t batches = 3;
};

void inspect_mixture(const std::string& folder, const MixtureRequest& request, size_t pairs, bool json) {
  std::vector<Dataset> datasets;
  datasets.emplace_back(folder);
  for (const std::string& other : request.data) datasets.emplace_back(other);
  for (const Dataset& dataset : datasets) verify(dataset);
  const Config config = load_config(request.config, request.overrides);
  const Json contents = mixture_contents(datasets, config, {request.batches, pairs});
  std::cout << (json ? dump_json(contents, 2) + "\n" : show_mixture_contents(contents));
}

void inspect_checkpoint(const fs::path& folder, bool json) {
  const CheckpointContents contents = read_checkpoint_contents(folder, true);
  print(contents, show_checkpoint_contents, json);
  if (contents.damaged()) fail("{} is damaged. Use another checkpoint.", contents.folder.string());
}

}  // namespace

void run_inspect(const Arguments& arguments) {
  Options options(
      "inspect",
      "Shows the content of a dataset, a run or a checkpoint: files with their purpose and size, and details. "
      "Every byte that has a checksum is verified.",
      "  verbund inspect data/demo\n"
      "  verbund inspect data/demo --split dev --pair 10 --count 5\n"
      "  verbund inspect data/demo --mixture --config demo --batches 2\n"
      "  verbund inspect runs/demo\n"
      "  verbund inspect runs/demo/checkpoints/best --json\n");
  std::string folder;
  PairsToShow pairs;
  bool json = false;
  MixtureRequest mixture;
  options.add_option("FOLDER", folder, "A dataset, a run or a checkpoint")->required();
  options.add_option("--split", pairs.split,
                     "Split of a dataset whose pairs to show (default: train, or the first source's train-NAME)");
  options.add_option("--pair", pairs.first, "First pair of a dataset to show, counted from 0")
      ->check(at_least(0))
      ->capture_default_str();
  options.add_option("--count", pairs.count, "Number of pairs of a dataset to show; with --mixture, of each batch")
      ->check(at_least(0))
      ->capture_default_str();
  options.add_flag("--mixture", mixture.wanted,
                   "Show the first batches that training would see of a dataset, with the corpus of each pair");
  options.add_option("--config", mixture.config, "With --mixture: the configuration of the training")
      ->type_name("FILE");
  options.add_list("--set", mixture.overrides, "With --mixture: override a value: section.key=value (repeatable)",
                   "KEY=VALUE");
  options.add_list("--data", mixture.data, "With --mixture: a further dataset folder, as of train (repeatable)",
                   "FOLDER");
  options.add_option("--batches", mixture.batches, "With --mixture: how many batches to show")
      ->check(at_least(1))
      ->capture_default_str();
  options.add_flag("--json", json, "Print everything as JSON");
  if (!options.read(arguments)) return;

  const InspectedFolder kind = recognise_folder(folder);
  if (mixture.wanted) {
    if (kind != InspectedFolder::kDataset) fail_usage("--mixture shows batches of a dataset, which {} is not", folder);
    return inspect_mixture(folder, mixture, pairs.count, json);
  }
  switch (kind) {
    case InspectedFolder::kDataset:
      return inspect_dataset(folder, pairs, json);
    case InspectedFolder::kCheckpoint:
      return inspect_checkpoint(folder, json);
    case InspectedFolder::kRun:
      return print(read_run_contents(folder), show_run_contents, json);
  }
}

}  // namespace verbund
