// Which setting would help most: each that could is tried in the simulation, and what it gains is told.
#pragma once

#include <string>
#include <vector>

#include "plan/prediction.h"

namespace verbund {

struct Advice {
  std::string setting;  // "workers.wire=bf16"
  std::string meaning;  // what it does, and what it costs
  double gain = 0;      // in tokens a second: 0.25 is a quarter more
  double step_seconds = 0;
  double memory_bytes = 0;     // of a worker then
  bool another_batch = false;  // a step then trains on more tokens: what is learned changes with it
};

// Those that gain at least a hundredth with all workers of the scenario, the best first.
std::vector<Advice> advise(const Scenario& scenario, BatchSource& batches, const Prediction& now);

}  // namespace verbund
