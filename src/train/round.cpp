// SPDX-License-Identifier: Apache-2.0
#include "train/round.h"

#include "train/stop_vote.h"

namespace verbund {
namespace {

constexpr size_t kSumsOfStep = 7;

// Collective: "worker 1 on b: the label-smoothed loss is nan".
std::string troubles_of_workers(Workers& workers, const std::string& own) {
  const std::vector<std::string> all = workers.comm().gather(own);
  std::string text;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", workers.all()[rank].name(), all[rank]);
  }
  return text;
}

}  // namespace

void Round::add(const StepResult& own, const DivergenceGuard& guard) {
  const std::string trouble = guard.trouble_with(own.own.mean());
  steps_.push_back({own.own, own.gradient_norm, own.updated,
                    trouble.empty() && own.trouble ? "the gradient is not finite" : trouble});
}

void Round::end(bool outer_gradient_finite) {
  if (!outer_gradient_finite && steps_.back().trouble.empty()) {
    steps_.back().trouble = "the mean change of the workers' weights is not finite";
  }
}

int Round::meet(Workers& workers) {
  std::vector<double> sums;
  for (const Step& step : steps_) {
    const double own[kSumsOfStep] = {step.loss.smoothed,
                                     step.loss.cross_entropy,
                                     static_cast<double>(step.loss.tokens),
                                     static_cast<double>(step.loss.correct),
                                     step.gradient_norm,
                                     step.updated ? 0.0 : 1.0,
                                     step.trouble.empty() ? 0.0 : 1.0};
    sums.insert(sums.end(), std::begin(own), std::end(own));
  }
  const StopVote vote = own_stop_vote();
  sums.insert(sums.end(), vote.begin(), vote.end());
  workers.comm().sum(sums);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const double* all = &sums[i * kSumsOfStep];
    Step& step = steps_[i];
    step.loss = {all[0], all[1], static_cast<int64_t>(all[2]), static_cast<int64_t>(all[3])};
    step.gradient_norm = all[4] / workers.size();
    step.updated = all[5] == 0;
    if (all[6] > 0) step.trouble = troubles_of_workers(workers, step.trouble);
  }
  return voted_signal(std::span<const double, 3>(&sums[steps_.size() * kSumsOfStep], 3));
}

}  // namespace verbund
