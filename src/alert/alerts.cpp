// SPDX-License-Identifier: Apache-2.0
#include "alert/alerts.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <numeric>

#include "core/human.h"

namespace verbund {
namespace {

constexpr double kDiverging = 1.25;  // times the lowest mean of five
constexpr size_t kFive = 5;
constexpr int64_t kEvaluationsWithoutBest = 10;
constexpr double kLittleSpace = 2e9;  // bytes

std::string count_of(int64_t count) { return human_count(static_cast<uint64_t>(std::max<int64_t>(0, count))); }

std::string sentence(const std::string& text) { return text.ends_with('.') ? text : text + "."; }

std::vector<Alert> alerts_at_end(const AlertFigures& run) {
  const std::string why = run.end_reason.empty() ? "." : ": " + sentence(run.end_reason);
  if (run.end == "diverged")
    return {{"diverged", fmt::format("Training diverged at step {}{}", count_of(run.step), why)}};
  if (run.end == "failed") return {{"failed", fmt::format("The run failed at step {}{}", count_of(run.step), why)}};
  if (run.end == "lost") return {lost_alert(run.step, run.end_reason)};
  return {};
}

void judge_loss(const AlertFigures& run, std::vector<Alert>& alerts) {
  if (!run.divergence.empty()) {
    alerts.push_back(
        {"diverging", fmt::format("Training diverges at step {}: {}", count_of(run.step), sentence(run.divergence))});
  } else if (is_diverging(run.loss)) {
    const auto last = std::find_if(run.loss.rbegin(), run.loss.rend(), is_known);
    alerts.push_back({"diverging", fmt::format("The training loss rises: it is {:.4g} now.", *last)});
  }
}

void judge_bleu(const AlertFigures& run, std::vector<Alert>& alerts) {
  const auto best =
      std::max_element(run.bleu.begin(), run.bleu.end(), [](double a, double b) { return !(a >= b) && is_known(b); });
  if (best == run.bleu.end() || !is_known(*best) || run.bleu.end() - best <= kEvaluationsWithoutBest) return;
  alerts.push_back({"no_improvement",
                    fmt::format("BLEU has not improved for {} evaluations, since step {}.", run.bleu.end() - best - 1,
                                count_of(run.evaluated[static_cast<size_t>(best - run.bleu.begin())]))});
}

}  // namespace

std::vector<Alert> find_alerts(const AlertFigures& run) {
  if (!run.running) return alerts_at_end(run);
  std::vector<Alert> alerts;
  judge_loss(run, alerts);
  if (!run.stall.empty()) {
    alerts.push_back({"stalled", "The run has stalled: " + sentence(run.stall)});
  } else if (run.quiet > kQuietUntilStalled) {
    alerts.push_back(quiet_alert(run.quiet));
  }
  if (const int slowest = find_straggler(run.workers); slowest >= 0) {
    alerts.push_back({"straggler", straggler_text(run.workers, slowest)});
  }
  if (run.disk_free < kLittleSpace) {
    alerts.push_back({"disk", fmt::format("The disk of the run is nearly full: {} are left.",
                                          human_bytes(static_cast<uint64_t>(run.disk_free)))});
  }
  judge_bleu(run, alerts);
  return alerts;
}

Alert lost_alert(int64_t step, const std::string& reason) {
  if (!reason.empty())
    return {"lost", fmt::format("The run ended after step {}: {}", count_of(step), sentence(reason))};
  return {"lost", fmt::format("The run ended without a word after step {}: its process was killed, or its machine is "
                              "gone. The same command resumes it.",
                              count_of(step))};
}

Alert quiet_alert(double seconds) {
  return {"stalled", fmt::format("The run has given no sign of life for {}.", human_duration(seconds))};
}

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

double free_bytes(const std::filesystem::path& folder) {
  struct statvfs status = {};
  if (::statvfs(folder.c_str(), &status) != 0) return kNotKnown;
  return static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
}

}  // namespace verbund
