// What a training would be like on so many workers of these hosts: a scenario in, a step's course out.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "launch/host_list.h"
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
  std::string gpu;  // its name, if the rates are those of its data sheet
};

struct Prediction {
  int workers = 1, hosts = 1;
  SimulatedStep step;
  double source_tokens = 0, target_tokens = 0;  // of a step
  double steps_per_epoch = 0;                   // 0: not known
  double bucket_bytes = 0;
  double memory_bytes = 0;  // of a worker

  double tokens_per_second() const { return target_tokens / step.seconds; }
};

// The first `workers` of the scenario's hosts.
Prediction predict(const Scenario& scenario, BatchSource& batches, int workers);

// For 1, 2, ... of them, up to all; of many workers, for some numbers between.
std::vector<Prediction> predict_all(const Scenario& scenario, BatchSource& batches);

// The n workers' tokens a second, over n times those of one.
double efficiency(const Prediction& prediction, const Prediction& alone);

// What a step is held up by.
enum class Limit { kCompute, kUpdate, kNetworkRate, kNetworkLatency, kMemory };
struct LimitFound {
  Limit limit = Limit::kCompute;
  double share = 0;  // of the step
  std::string sentence;
};
LimitFound find_limit(const Prediction& prediction);

}  // namespace verbund
