// SPDX-License-Identifier: Apache-2.0
// simulate_step() simulates one training step of many workers. The stages of the last micro-batch run one after the
// other; gradients that are ready are cut into buckets as in training, and sent one by one while later stages run. When
// both are done, the weights are updated.
#pragma once

#include <vector>

#include "plan/compute_rates.h"
#include "plan/exchange_rates.h"
#include "plan/work_stages.h"

namespace verbund {

struct StepToSimulate {
  std::vector<WorkStage> stages;        // of the last micro-batch, of the worker with the most work
  double before = 0;                    // seconds of the earlier micro-batches, which send nothing
  GradientOrder order;                  // in which the gradient becomes ready
  double weights = 0;                   // that are updated
  double value_bytes = 4;               // on the wire
  double row_value_bytes = 4;           // of embedding rows, for which int8 is too coarse
  std::vector<double> distinct_tokens;  // that a worker looks up, per lookup of the order
  bool sharded = false;    // sharded optimiser: each worker updates its share, then weights are all-gathered
  int64_t sync_every = 1;  // steps between exchanges of weights; 1: gradients are exchanged in every step
  int64_t sync_delay = 0;  // of these, steps that hide the exchange
  int64_t steps = 0;       // of the training, whose last step ends a round, too; 0: not known
};

// SimulatedStep is a step of the training; with rounds of local steps, the mean one.
struct SimulatedStep {
  double seconds = 0;
  double compute = 0;   // forward and backward
  double exchange = 0;  // time during which something was sent
  double latency = 0;   // part of the exchange that does not depend on bytes
  double exposed = 0;   // exchange not hidden by computation: gradients, weights of a sharded optimiser, the sum
  double sum = 0;       // of these, the sum of the step's few numbers
  double update = 0;
  double sent_bytes = 0;  // by a host
  int buckets = 0;        // of an exchange
  double exchanges = 1;   // per step
};

SimulatedStep simulate_step(const StepToSimulate& step, const ExchangeLayout& layout, const ComputeRates& compute,
                            const ExchangeRates& exchange, size_t bucket_values);

}  // namespace verbund
