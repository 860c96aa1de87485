// The rates of a training that has been: what its workers computed in which time, and what its exchange took, by its
// own record. So the plan of another layout starts from what these machines did, and the plan of the same one can be
// compared with it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "launch/host_list.h"
#include "plan/batch_facts.h"
#include "plan/compute_rates.h"
#include "plan/exchange_rates.h"
#include "report/run_data.h"

namespace verbund {

struct RunRates {
  std::vector<Host> hosts;  // it ran on
  ComputeRates compute;
  ExchangeRates exchange;   // link 0: the run did not cross a network, or did not trace its buckets
  double step_seconds = 0;  // median
  size_t steps = 0;
};

// `batches` are those that it trained on. None of a run without a record of its steps; rates_of_run refuses it.
std::optional<RunRates> find_rates(const RunData& run, BatchSource& batches);
RunRates rates_of_run(const RunData& run, BatchSource& batches);

// Those of the dataset that it trained on; null if that is no longer there.
std::unique_ptr<BatchSource> batches_of_run(const RunData& run);

}  // namespace verbund
