// One training step of many workers, simulated: the stages of the last micro-batch pass one after the other; what
// becomes final is cut into buckets by the program's own rule, and they leave one after the other while the stages go
// on; when both are through, the weights are updated.
#pragma once

#include <vector>

#include "plan/compute_rates.h"
#include "plan/exchange_rates.h"
#include "plan/work_stages.h"

namespace verbund {

struct StepToSimulate {
  std::vector<WorkStage> stages;        // of the last micro-batch, by the worker that has most to do
  double before = 0;                    // seconds of the micro-batches before it, whose gradients stay
  GradientOrder order;                  // in which the gradient becomes ready
  double weights = 0;                   // that are updated
  double value_bytes = 4;               // on the wire
  double row_value_bytes = 4;           // of rows of embeddings, which int8 is too coarse for
  std::vector<double> distinct_tokens;  // that a worker looks up, by lookup of the order
  bool sharded = false;                 // each worker updates its share, and weights come back after that
};

struct SimulatedStep {
  double seconds = 0;
  double compute = 0;   // forward and backward
  double exchange = 0;  // something was on its way
  double latency = 0;   // of that, whatever the number of bytes
  double exposed = 0;   // waited for: gradients, and the weights of a sharded optimiser
  double update = 0;
  double sent_bytes = 0;  // by a host
  int buckets = 0;
};

SimulatedStep simulate_step(const StepToSimulate& step, const ExchangeLayout& layout, const ComputeRates& compute,
                            const ExchangeRates& exchange, size_t bucket_values);

}  // namespace verbund
