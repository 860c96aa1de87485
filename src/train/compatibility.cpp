// SPDX-License-Identifier: Apache-2.0
// The check of a resumed run: its configuration and dataset must be those of its checkpoint. See train/run_opening.h.
#include <fmt/format.h>

#include "config/settings.h"
#include "core/json.h"
#include "core/json_file.h"
#include "train/run_opening.h"
#include "train/train_state.h"

namespace verbund {
namespace {

bool may_change(const std::string& key) {
  for (const char* prefix : {"corpus.",
                             "clean.",
                             "subwords.",
                             "checkpoint.",
                             "train.max_steps",
                             "train.epochs",
                             "train.log_every",
                             "train.log_details",
                             "train.eval_every",
                             "train.sample_every",
                             "train.on_divergence",
                             "train.divergence_factor",
                             "train.roll_backs",
                             "train.timeline",
                             "train.record",
                             "train.start_from",
                             "train.precision",
                             "device",
                             "decode.",
                             "evaluate.",
                             "workers.",
                             "batch.memory_limit",
                             "mixture.",  // what it comes to is compared
                             "threads"}) {
    if (key.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> differences_that_matter(const std::string& saved_config, const std::string& config,
                                                 const std::string& saved_state, const std::string& dataset_checksum,
                                                 const std::string& mixture, const std::string& plain_mixture) {
  std::vector<std::string> differences;
  for (const auto& [key, before, now] : config_differences(saved_config, config)) {
    if (!may_change(key)) differences.push_back(fmt::format("{} was {}, is now {}", key, before, now));
  }
  const auto [saved_dataset, saved_mixture] =
      use_json(saved_state, "the checkpoint's state.json", "Use another checkpoint.", [&](const Json& state) {
        const Json earlier = state.value(kMixtureKey, Json::object());  // older versions have none
        return std::pair(state.at("dataset").get<std::string>(), earlier.value("description", plain_mixture));
      });
  if (saved_dataset != dataset_checksum) {
    differences.push_back(fmt::format("the dataset's checksum was {}, is now {}", saved_dataset, dataset_checksum));
  }
  if (saved_mixture != mixture) {
    differences.push_back(fmt::format("the mixture was {}, is now {}", saved_mixture, mixture));
  }
  return differences;
}

}  // namespace verbund
