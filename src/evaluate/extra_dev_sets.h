// SPDX-License-Identifier: Apache-2.0
// ExtraDevSet is a validation set (dev set) or test set beside the main one: of one corpus of the dataset (its split
// dev-NAME), or of another dataset. It is evaluated at the same time; the main set alone decides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/workers.h"
#include "config/evaluate_config.h"
#include "evaluate/evaluation.h"

namespace verbund {

struct ExtraDevSet {
  std::string name;
  TestSet set;
  std::vector<size_t> places;  // of its pairs in the main set, if that has all of them; else none
};

// The name that was given or, without one, that of the folder.
std::string dev_set_name(const ExtraDevSetConfig& set);

// The splits dev-NAME of the dataset's sources for "dev", test-NAME for "test"; a split of one source has no parts,
// also if the name of another begins alike ("dev-a" and the source "a-b").
std::vector<std::string> names_of_parts(const DatasetManifest& dataset, const std::string& split);

// These splits.
std::vector<ExtraDevSet> read_parts(const Dataset& dataset, const std::string& split, const TestSet& main,
                                    const Subwords& source, const Subwords& target);

using ArrangeDevSet = std::function<TestSet(const TestSet& dev, const Dataset& dataset, const std::string& name)>;

// The dev sets beside the main one: the dataset's own, and those of config.also. Collective: worker 0 reads them and
// the others get them from it, so that no other host needs the other datasets. Refuses a dataset with another subword
// model, and two sets of one name. `arrange` puts the pairs of another dataset into their order.
std::vector<ExtraDevSet> read_extra_dev_sets(const Dataset& dataset, const EvaluateConfig& config, const TestSet& main,
                                             const Subwords& source, const Subwords& target, Workers& workers,
                                             const ArrangeDevSet& arrange);

// The evaluations of the sets, in their order. Pairs of the main set were evaluated with it; `evaluate_set` evaluates a
// set of other pairs.
std::vector<Evaluation> evaluate_extra(const std::vector<ExtraDevSet>& sets, const Evaluation& main,
                                       const EvaluateConfig& config,
                                       const std::function<Evaluation(const TestSet&)>& evaluate_set);

}  // namespace verbund
