// SPDX-License-Identifier: Apache-2.0
// Round collects the steps that this worker has taken on its own since the workers last met (workers.sync_every). When
// they meet, the losses, norms and problems of every step are summed over all workers: nothing is sent before.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/step.h"

namespace verbund {

class Round {
 public:
  struct Step {
    Loss loss;
    double gradient_norm = 0;  // after they have met: the mean of the workers' norms
    bool updated = true;       // after they have met: on all workers
    std::string trouble;       // "" if there is none
  };

  // This worker's step. It is judged alone, too: the mean of many workers may hide one that diverges.
  void add(const StepResult& own, const DivergenceGuard& guard);

  // Collective: replaces the steps of this worker by those of all. Returns the signal that some worker has received.
  int meet(Workers& workers);

  // After the meeting: whether the outer gradient was finite. It belongs to the last step.
  void end(bool outer_gradient_finite);
  // The steps; the next round begins.
  std::vector<Step> take() { return std::exchange(steps_, {}); }

 private:
  std::vector<Step> steps_;
};

}  // namespace verbund
