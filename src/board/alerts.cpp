// SPDX-License-Identifier: Apache-2.0
#include "board/alerts.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <numeric>

#include "core/human.h"
#include "page/number_format.h"

namespace verbund {
namespace {

constexpr double kDiverging = 1.25;  // times the lowest mean of five
constexpr size_t kFive = 5;
constexpr int64_t kEvaluationsWithoutBest = 10;
constexpr double kLittleSpace = 2e9;  // bytes
constexpr double kQuietUntilStalled = 60;
constexpr int64_t kRecentSteps = 200;

double median_of(const std::vector<WorkerPace>& workers, double (*value)(const WorkerPace&)) {
  std::vector<double> values;
  for (const WorkerPace& worker : workers) values.push_back(value(worker));
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

double before_exchange(const WorkerPace& worker) { return worker.waited + worker.compute; }
double waiting_for_data(const WorkerPace& worker) { return worker.waited; }

std::string straggler_text(const WatchedRun& run, const std::vector<WorkerPace>& workers, int slowest) {
  const WorkerPace& worker =
      *std::find_if(workers.begin(), workers.end(), [&](const WorkerPace& each) { return each.rank == slowest; });
  const double own = before_exchange(worker), median = median_of(workers, before_exchange);
  const bool waits = worker.waited - median_of(workers, waiting_for_data) > (own - median) / 2;
  std::string name = run.worker_name(slowest);
  name[0] = 'W';
  return fmt::format("{} is a straggler: it needs {:.3g} s before the exchange, the median worker {:.3g} s. {}", name,
                     own, median, waits ? "It waits for data." : "Its computation is slow.");
}

std::vector<WorkerPace> recent_paces(const WatchedRun& run) {
  std::vector<WorkerPace> workers;
  for (const auto& [rank, phases] : run.phases()) {
    const std::vector<PhaseBucket> recent = phases.over(phases.last_step() - kRecentSteps + 1, phases.last_step(), 1);
    if (recent.empty()) continue;
    const auto steps = static_cast<double>(recent.front().steps);
    workers.push_back({rank, recent.front().waited / steps, recent.front().compute / steps});
  }
  return workers;
}

}  // namespace

bool is_diverging(const std::vector<double>& loss) {
  std::vector<double> known;
  std::copy_if(loss.begin(), loss.end(), std::back_inserter(known), is_known);
  if (known.size() < 4 * kFive) return false;
  double lowest = std::numeric_limits<double>::infinity(), sum = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    sum += known[i] - (i >= kFive ? known[i - kFive] : 0);
    if (i + 1 >= kFive) lowest = std::min(lowest, sum / kFive);
  }
  const double last = std::accumulate(known.end() - kFive, known.end(), 0.0) / kFive;
  return last > kDiverging * lowest && last > lowest + 0.1;
}

int find_straggler(const std::vector<WorkerPace>& workers) {
  if (workers.size() < 2) return -1;
  const WorkerPace& slowest = *std::max_element(
      workers.begin(), workers.end(),
      [](const WorkerPace& a, const WorkerPace& b) { return before_exchange(a) < before_exchange(b); });
  const double own = before_exchange(slowest), median = median_of(workers, before_exchange);
  return own > 1.15 * median && own > median + 1e-3 ? slowest.rank : -1;
}

double free_bytes(const fs::path& folder) {
  struct statvfs status = {};
  if (::statvfs(folder.c_str(), &status) != 0) return kNotKnown;
  return static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
}

std::vector<Alert> find_alerts(const WatchedRun& run, double disk_free) {
  std::vector<Alert> alerts;
  const bool running = is_running(run.state());
  const std::string loss = run.loss_key();
  if (run.state() == RunState::kDiverged) {
    alerts.push_back({"diverged", fmt::format("Training diverged at step {}.", human_count(run.step()))});
  } else if (running && run.signs().diverged) {
    alerts.push_back({"diverging", "The training loss is not a number."});
  } else if (running && !loss.empty() && is_diverging(run.training().column(loss))) {
    alerts.push_back(
        {"diverging", fmt::format("The training loss rises: it is {} now.", short_number(run.training().last(loss)))});
  }
  if (run.state() == RunState::kLost) {
    alerts.push_back({"lost", fmt::format("The run ended without a word after step {}: its process was killed, or its "
                                          "machine is gone. The same command resumes it.",
                                          human_count(run.step()))});
  }
  if (running && run.is_stalled()) {
    alerts.push_back({"stalled", "The run stands still: " + run.stall()});
  } else if (running && run.signs().quiet > kQuietUntilStalled) {
    alerts.push_back(
        {"stalled", fmt::format("The run has written nothing for {}.", human_duration(run.signs().quiet))});
  }
  if (running) {
    const std::vector<WorkerPace> workers = recent_paces(run);
    if (const int slowest = find_straggler(workers); slowest >= 0) {
      alerts.push_back({"straggler", straggler_text(run, workers, slowest)});
    }
  }
  if (running && disk_free < kLittleSpace) {
    alerts.push_back({"disk", fmt::format("The disk of the run is nearly full: {} are left.",
                                          human_bytes(static_cast<uint64_t>(disk_free)))});
  }
  const std::vector<double> bleu = run.evaluations().column("dev_bleu");
  const auto best =
      std::max_element(bleu.begin(), bleu.end(), [](double a, double b) { return !(a >= b) && is_known(b); });
  if (running && best != bleu.end() && is_known(*best) && bleu.end() - best > kEvaluationsWithoutBest) {
    alerts.push_back({"no_improvement",
                      fmt::format("BLEU has not improved for {} evaluations, since step {}.", bleu.end() - best - 1,
                                  human_count(static_cast<uint64_t>(
                                      run.evaluations().step[static_cast<size_t>(best - bleu.begin())])))});
  }
  return alerts;
}

}  // namespace verbund
