// SPDX-License-Identifier: Apache-2.0
// Prediction of a training step, its throughput and its memory, for a number of workers on given hosts.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "launch/host_list.h"
#include "model/parameters.h"
#include "plan/batch_facts.h"
#include "plan/compute_rates.h"
#include "plan/exchange_rates.h"
#include "plan/simulated_step.h"

namespace verbund {

struct Scenario {
  Config config;
  std::vector<Host> hosts;
  ComputeRates compute;
  ExchangeRates exchange;
  std::string gpu;  // name of the GPU, if the rates come from its data sheet
};

struct Prediction {
  int workers = 1, hosts = 1;
  SimulatedStep step;
  double source_tokens = 0, target_tokens = 0;  // of a step
  double steps_per_epoch = 0;                   // 0: not known
  double bucket_bytes = 0;
  double memory_bytes = 0;  // of a worker
  double steps = 0;         // of the whole training; 0: not known
  int64_t sync_every = 1;   // steps between exchanges

  double tokens_per_second() const { return target_tokens / step.seconds; }
  // "per step", "every 32 steps", "once, at the last step"
  std::string exchange_times() const;
};

// Prediction for the first `workers` of the scenario's hosts.
Prediction predict(const Scenario& scenario, BatchSource& batches, int workers);

// Predictions for 1, 2, ... up to all workers; for many workers, a selection of numbers.
std::vector<Prediction> predict_all(const Scenario& scenario, BatchSource& batches);

// Throughput of n workers, divided by n times that of one.
double efficiency(const Prediction& prediction, const Prediction& alone);

// The bottleneck of a step.
enum class Limit { kCompute, kUpdate, kNetworkRate, kNetworkLatency, kMemory };
struct LimitFound {
  Limit limit = Limit::kCompute;
  double share = 0;  // of the step
  std::string sentence;
};
LimitFound find_limit(const Prediction& prediction);

// Memory of a worker in bytes (of its GPU, if it has one): model, optimiser and the activations of a micro-batch.
// Worker 0 on a CPU needs a copy of the checkpoint being saved in addition.
double memory_of_worker(const Config& config, VocabularySizes vocabularies, const BatchFacts& facts,
                        const ExchangeLayout& layout, bool gpu);

}  // namespace verbund
