// SPDX-License-Identifier: Apache-2.0
// RunRates are the compute and exchange rates of a finished run, from its record. A plan for another layout starts from
// them; a plan for the same layout can be compared with the run.
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
  std::vector<Host> hosts;  // of the run
  ComputeRates compute;
  ExchangeRates exchange;   // link 0: the run used no network, or has no traces of its buckets
  double step_seconds = 0;  // median
  size_t steps = 0;
};

// `batches` are those that it trained on. Nothing for a run without a record of its steps, which rates_of_run refuses.
std::optional<RunRates> find_rates(const RunData& run, BatchSource& batches);
RunRates rates_of_run(const RunData& run, BatchSource& batches);

// The batches of the run's dataset; null if the dataset is gone.
std::unique_ptr<BatchSource> batches_of_run(const RunData& run);

}  // namespace verbund
