// SPDX-License-Identifier: Apache-2.0
#include "alert/worker_step_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/step_records.h"

namespace verbund {
namespace {

constexpr int kMaxWorkers = 4096;

double median_of(const std::vector<WorkerStepTime>& workers, double (*value)(const WorkerStepTime&)) {
  std::vector<double> values;
  for (const WorkerStepTime& worker : workers) values.push_back(value(worker));
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

double before_exchange(const WorkerStepTime& worker) { return worker.before_exchange(); }
double waiting_for_data(const WorkerStepTime& worker) { return worker.waited; }

}  // namespace

std::vector<WorkerStepTime> read_worker_step_times(const std::filesystem::path& run, int workers, uint32_t start,
                                                   const std::function<std::string(int rank)>& name) {
  std::vector<WorkerStepTime> step_times;
  for (int rank = 0; rank < std::min(workers, kMaxWorkers); ++rank) {
    const std::vector<StepRecord> records = read_last_step_records(step_records_path(run, rank), kRecentSteps);
    WorkerStepTime time = {rank, 0, 0, name(rank)};
    size_t steps = 0;
    for (const StepRecord& record : records) {
      if (record.start != start) continue;
      time.waited += static_cast<double>(record.waited);
      time.compute += static_cast<double>(record.compute);
      ++steps;
    }
    if (steps < kFewestSteps) return {};
    time.waited /= static_cast<double>(steps);
    time.compute /= static_cast<double>(steps);
    step_times.push_back(std::move(time));
  }
  return step_times;
}

int find_straggler(const std::vector<WorkerStepTime>& workers) {
  if (workers.size() < 2) return -1;
  const WorkerStepTime& slowest = *std::max_element(
      workers.begin(), workers.end(),
      [](const WorkerStepTime& a, const WorkerStepTime& b) { return a.before_exchange() < b.before_exchange(); });
  const double own = slowest.before_exchange(), median = median_of(workers, before_exchange);
  return own > 1.15 * median && own > median + 1e-3 ? slowest.rank : -1;
}

std::string straggler_text(const std::vector<WorkerStepTime>& workers, int slowest) {
  const WorkerStepTime& worker =
      *std::find_if(workers.begin(), workers.end(), [&](const WorkerStepTime& each) { return each.rank == slowest; });
  const double own = worker.before_exchange(), median = median_of(workers, before_exchange);
  const bool waits = worker.waited - median_of(workers, waiting_for_data) > (own - median) / 2;
  std::string name = worker.name;
  name[0] = 'W';
  return fmt::format("{} is a straggler: it needs {:.3g} s before the exchange, the median worker {:.3g} s. {}", name,
                     own, median, waits ? "It waits for data." : "Its computation is slow.");
}

}  // namespace verbund
