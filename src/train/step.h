// SPDX-License-Identifier: Apache-2.0
// train_step is one step of training: the whole algorithm.
#pragma once

#include <chrono>

#include "collectives/step_times.h"
#include "mixture/prefetch.h"
#include "train/train_state.h"

namespace verbund {

// The result of a step; the same on all workers unless noted. In a round of local steps (workers.sync_every) all of it
// is of this worker alone, and no signal is seen.
struct StepResult {
  Loss loss;                 // sums over the batch of all workers
  double rate = 0;           // learning rate
  double gradient_norm = 0;  // of the mean gradient, before clipping
  bool updated = true;       // false: the gradient was not finite, nothing was changed
  bool trouble = false;      // and a smaller loss scale will not help
  int stop_signal = 0;       // that some worker has received
  Loss own;                  // of this worker alone
  StepTimes times;           // of this worker, without waiting for data
};

// Collective: the mean loss of a batch with the current weights; nothing changes.
double mean_loss(TrainState& state, const WorkerBatch& batch);

// Collective, except in a round: updates the weights, but not the position in the run. Its times are counted from
// `began`.
StepResult train_step(TrainState& state, const WorkerBatch& batch,
                      std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now());

}  // namespace verbund
