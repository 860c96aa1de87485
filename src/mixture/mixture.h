// SPDX-License-Identifier: Apache-2.0
// plan_stages computes the stages of the mixture from the configuration and the training set alone. A MixtureStage says
// how many pairs of each corpus an epoch draws, and when the stage ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/mixture_config.h"
#include "mixture/training_set.h"

namespace verbund {

struct MixtureStage {
  std::string name;
  std::vector<double> shares;   // of each corpus in the pairs that are drawn; their sum is 1
  std::vector<uint64_t> draws;  // pairs of each corpus in an epoch of the mixture; none: every pair once
  int64_t epochs = 0;           // the stage ends after so many epochs of `corpus`, or of the mixture if that is -1
  int64_t corpus = -1;
  int64_t steps = 0;  // or after so many steps
  StageUntil until = StageUntil::kNone;
  int64_t patience = 0;

  bool ends() const { return epochs > 0 || steps > 0 || until != StageUntil::kNone; }
};

// `pairs` are the usable pairs of each corpus. At least one stage; fails with what is wrong in the configuration.
std::vector<MixtureStage> plan_stages(const MixtureConfig& config, const TrainingSet& set,
                                      const std::vector<uint64_t>& pairs);

// `total` pairs by shares: every corpus gets its share, rounded down, and those with the largest remainders one more; a
// corpus with any share gets at least one.
std::vector<uint64_t> apportion(const std::vector<double>& shares, uint64_t total);

// "europarl 70.0 %, multi30k 30.0 %, for 3 epochs of europarl", to show it and to compare it with that of a checkpoint.
std::string describe(const MixtureStage& stage, const TrainingSet& set);
std::string describe(const std::vector<MixtureStage>& stages, const TrainingSet& set);

}  // namespace verbund
