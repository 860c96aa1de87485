// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/human.h"

namespace verbund {
namespace {

// The time of each point; in a source without times, its position.
std::vector<double> moments_of(const std::vector<ImportedPoint>& points) {
  const bool timed = std::any_of(points.begin(), points.end(), [](const auto& point) { return point.has_time(); });
  std::map<std::string, double> last;  // of each curve, for points without a time
  std::vector<double> moments;
  for (size_t i = 0; i < points.size(); ++i) {
    const ImportedPoint& point = points[i];
    if (!timed) {
      moments.push_back(static_cast<double>(i));
      continue;
    }
    if (point.has_time()) last[point.key] = point.time;
    moments.push_back(last[point.key]);
  }
  return moments;
}

size_t count_out_of_order(const std::vector<ImportedPoint>& points, const std::vector<double>& moments) {
  std::map<std::string, double> latest;
  size_t count = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto [found, is_first] = latest.emplace(points[i].key, moments[i]);
    if (!is_first && moments[i] < found->second) ++count;
    found->second = std::max(found->second, moments[i]);
  }
  return count;
}

struct Return {
  double moment = 0;
  int64_t from = 0, to = 0;
};

}  // namespace

std::vector<std::string> drop_undone(std::vector<ImportedPoint>& points) {
  std::vector<std::string> notes;
  const std::vector<double> moments = moments_of(points);
  if (const size_t count = count_out_of_order(points, moments); count > 0) {
    notes.push_back(fmt::format("{} values were not in the order of their times, and were sorted", human_count(count)));
  }
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return moments[a] < moments[b]; });

  std::vector<Return> returns;
  std::map<std::string, int64_t> last_step;
  for (const size_t i : order) {
    const auto [found, is_first] = last_step.emplace(points[i].key, points[i].step);
    if (!is_first && points[i].step < found->second) returns.push_back({moments[i], found->second, points[i].step});
    found->second = points[i].step;
  }

  std::vector<ImportedPoint> kept;
  std::map<std::pair<std::string, int64_t>, bool> seen;
  size_t undone = 0, twice = 0;
  auto next = returns.rbegin();  // all returns later than the current point have been counted
  int64_t earliest = INT64_MAX;  // step that one of them went back to
  std::reverse(order.begin(), order.end());
  for (const size_t i : order) {
    for (; next != returns.rend() && next->moment > moments[i]; ++next) earliest = std::min(earliest, next->to);
    const ImportedPoint& point = points[i];
    if (point.step >= earliest) {
      ++undone;
    } else if (!seen.emplace(std::pair(point.key, point.step), true).second) {
      ++twice;
    } else {
      kept.push_back(point);
    }
  }
  std::reverse(kept.begin(), kept.end());
  points = std::move(kept);
  if (!returns.empty()) {
    notes.push_back(fmt::format(
        "training went back to an earlier step (first from step {} to {}): {} values of repeated steps are skipped",
        returns.front().from, returns.front().to, human_count(undone)));
  }
  if (twice > 0) notes.push_back(fmt::format("{} values occur twice: the later ones count", human_count(twice)));
  return notes;
}

}  // namespace verbund
