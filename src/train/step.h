// One step of training, whole: this is the algorithm.
#pragma once

#include <chrono>

#include "collectives/gradient_reducer.h"
#include "collectives/step_times.h"
#include "config/config.h"
#include "data/prefetch.h"
#include "model/transformer.h"
#include "optim/ema.h"
#include "optim/loss_scaler.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace verbund {

// What a step did; the same on all workers but where it says so.
struct StepResult {
  Loss loss;                 // sums over the batch of all workers
  double rate = 0;           // learning rate
  double gradient_norm = 0;  // of the mean gradient, before clipping
  bool updated = true;       // false: the gradient was not finite, nothing was changed
  bool trouble = false;      // and a smaller loss scale will not help
  int stop_signal = 0;       // which some worker has received
  Loss own;                  // of this worker alone
  StepTimes times;           // of this worker: all but the waiting for data
};

struct StepParts {
  const Config& config;
  Workers& workers;
  TranslationModel& model;
  GradientReducer& reducer;
  Optimizer& optimizer;
  const Schedule& schedule;
  WeightAverage& average;
  LossScaler& scaler;
  double rate_factor = 1;  // made smaller after a roll-back
};

// The mean loss of a batch with the weights as they are; no step, nothing changes. By all workers together.
double mean_loss(StepParts& parts, const WorkerBatch& batch);

// The moments in its times are counted from `began`.
StepResult train_step(StepParts& parts, const WorkerBatch& batch, int64_t step,
                      std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now());

}  // namespace verbund
