// SPDX-License-Identifier: Apache-2.0
#include "alert/worker_paces.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/step_records.h"

namespace verbund {
namespace {

constexpr int kMaxWorkers = 4096;

double median_of(const std::vector<WorkerPace>& workers, double (*value)(const WorkerPace&)) {
  std::vector<double> values;
  for (const WorkerPace& worker : workers) values.push_back(value(worker));
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

double before_exchange(const WorkerPace& worker) { return worker.before_exchange(); }
double waiting_for_data(const WorkerPace& worker) { return worker.waited; }

}  // namespace

std::vector<WorkerPace> read_worker_paces(const std::filesystem::path& run, int workers, uint32_t start,
                                          const std::function<std::string(int rank)>& name) {
  std::vector<WorkerPace> paces;
  for (int rank = 0; rank < std::min(workers, kMaxWorkers); ++rank) {
    const std::vector<StepRecord> records = read_last_step_records(step_records_path(run, rank), kRecentSteps);
    WorkerPace pace = {rank, 0, 0, name(rank)};
    size_t steps = 0;
    for (const StepRecord& record : records) {
      if (record.start != start) continue;
      pace.waited += static_cast<double>(record.waited);
      pace.compute += static_cast<double>(record.compute);
      ++steps;
    }
    if (steps < kFewestSteps) return {};
    pace.waited /= static_cast<double>(steps);
    pace.compute /= static_cast<double>(steps);
    paces.push_back(std::move(pace));
  }
  return paces;
}

int find_straggler(const std::vector<WorkerPace>& workers) {
  if (workers.size() < 2) return -1;
  const WorkerPace& slowest = *std::max_element(
      workers.begin(), workers.end(),
      [](const WorkerPace& a, const WorkerPace& b) { return a.before_exchange() < b.before_exchange(); });
  const double own = slowest.before_exchange(), median = median_of(workers, before_exchange);
  return own > 1.15 * median && own > median + 1e-3 ? slowest.rank : -1;
}

std::string straggler_text(const std::vector<WorkerPace>& workers, int slowest) {
  const WorkerPace& worker =
      *std::find_if(workers.begin(), workers.end(), [&](const WorkerPace& each) { return each.rank == slowest; });
  const double own = worker.before_exchange(), median = median_of(workers, before_exchange);
  const bool waits = worker.waited - median_of(workers, waiting_for_data) > (own - median) / 2;
  std::string name = worker.name;
  name[0] = 'W';
  return fmt::format("{} is a straggler: it needs {:.3g} s before the exchange, the median worker {:.3g} s. {}", name,
                     own, median, waits ? "It waits for data." : "Its computation is slow.");
}

}  // namespace verbund
