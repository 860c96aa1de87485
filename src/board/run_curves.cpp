// SPDX-License-Identifier: Apache-2.0
#include "board/run_curves.h"

#include <algorithm>

#include "board/numbers.h"
#include "page/curve.h"

namespace verbund {
namespace {

std::vector<double> axis_of(const WatchedRun& run, const MetricTable& table, CurveAxis axis) {
  if (axis == CurveAxis::kTime) return table.time;
  if (axis == CurveAxis::kStep) return table.steps();
  if (&table == &run.training()) return table.column("target_tokens");
  std::vector<double> tokens;
  for (const int64_t step : table.step) tokens.push_back(place_of_step(run, axis, step));
  return tokens;
}

// The rows from the last one before `from` to the first one after `to`.
Interval rows_between(const std::vector<double>& x, double from, double to) {
  Interval rows = {0, x.size()};
  for (size_t i = 0; i < x.size() && x[i] < from; ++i) rows.begin = i;
  for (size_t i = x.size(); i > rows.begin + 1 && x[i - 1] > to; --i) rows.end = i;
  return rows;
}

}  // namespace

double place_of_step(const WatchedRun& run, CurveAxis axis, int64_t step) {
  if (axis == CurveAxis::kStep) return static_cast<double>(step);
  const MetricTable& table = run.training();
  const auto after = std::upper_bound(table.step.begin(), table.step.end(), step);
  if (after == table.step.begin()) return axis == CurveAxis::kTokens && !table.step.empty() ? 0 : kNotKnown;
  const auto row = static_cast<size_t>(after - table.step.begin()) - 1;
  if (axis == CurveAxis::kTime) return table.time[row];
  const auto tokens = table.columns.find("target_tokens");
  return tokens == table.columns.end() ? kNotKnown : tokens->second[row];
}

Json curve_json(const WatchedRun& run, const CurveRequest& request) {
  const bool trained = run.training().columns.contains(request.key);
  const MetricTable& table = trained ? run.training() : run.evaluations();
  std::vector<double> x = axis_of(run, table, request.axis), y = table.column(request.key);
  const Interval rows = rows_between(x, request.from, request.to);
  const auto cut = [&](std::vector<double>& values) {
    values.resize(rows.end);
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows.begin));
  };
  cut(x);
  cut(y);
  const size_t count = std::clamp<size_t>(request.buckets, 1, kMaxBuckets);
  const std::vector<Bucket> buckets = into_buckets(x, y, count);
  Json json = {{"key", request.key}, {"values", y.size()}};
  std::vector<double> places, low, high, last;
  for (const Bucket& bucket : buckets) {
    if (bucket.gap_before) {  // a point without a value breaks the line
      places.push_back(bucket.x);
      for (std::vector<double>* list : {&low, &high, &last}) list->push_back(kNotKnown);
    }
    places.push_back(bucket.x);
    low.push_back(bucket.low);
    high.push_back(bucket.high);
    last.push_back(bucket.last);
  }
  json["x"] = Json::array();
  for (const double place : places) {
    json["x"].push_back(request.axis == CurveAxis::kTime ? json_time(place) : json_number(place));
  }
  json["low"] = json_numbers(low);
  json["high"] = json_numbers(high);
  json["last"] = json_numbers(last);
  if (is_noisy(y)) {
    const std::vector<double> mean = smoothed(y, std::clamp<size_t>(y.size() / 40, 2, 200));
    std::vector<double> shown;
    for (const Bucket& bucket : into_buckets(x, mean, count)) {
      if (bucket.gap_before) shown.push_back(kNotKnown);
      shown.push_back(bucket.last);
    }
    json["smooth"] = json_numbers(shown);
  }
  return json;
}

Json phases_json(const WatchedRun& run, double from, double to, size_t buckets) {
  constexpr double kFar = 1e15;
  Json list = Json::array();
  for (const auto& [rank, phases] : run.phases()) {
    Json worker = {{"rank", rank}, {"name", run.worker_name(rank)}};
    std::vector<double> step, waited, compute, exposed, update, other, longest;
    for (const PhaseBucket& bucket :
         phases.over(static_cast<int64_t>(std::clamp(from, 0.0, kFar)), static_cast<int64_t>(std::clamp(to, 0.0, kFar)),
                     std::clamp<size_t>(buckets, 1, kMaxBuckets))) {
      const auto steps = static_cast<double>(bucket.steps);
      step.push_back(static_cast<double>(bucket.last));
      waited.push_back(bucket.waited / steps);
      compute.push_back(bucket.compute / steps);
      exposed.push_back(bucket.exposed / steps);
      update.push_back(bucket.update / steps);
      const double named = bucket.waited + bucket.compute + bucket.exposed + bucket.update;
      other.push_back(std::max(0.0, bucket.seconds - named) / steps);
      longest.push_back(bucket.longest);
    }
    worker["step"] = json_numbers(step);
    worker["waiting for data"] = json_numbers(waited);
    worker["forward and backward"] = json_numbers(compute);
    worker["waiting for the exchange"] = json_numbers(exposed);
    worker["update"] = json_numbers(update);
    worker["other"] = json_numbers(other);
    worker["longest"] = json_numbers(longest);
    list.push_back(std::move(worker));
  }
  return list;
}

std::vector<std::string> curve_keys(const WatchedRun& run) {
  std::vector<std::string> keys;
  for (const MetricTable* table : {&run.training(), &run.evaluations()}) {
    for (const auto& [key, values] : table->columns) {
      if (key == "start" || key == "averaged_weights" || key == "best") continue;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace verbund
