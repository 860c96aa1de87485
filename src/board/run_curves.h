// SPDX-License-Identifier: Apache-2.0
// Curves of a watched run for a chart: a range of a metric by step, time or tokens, in buckets that keep every spike.
#pragma once

#include <string>

#include "board/watched_run.h"

namespace verbund {

enum class CurveAxis { kStep, kTime, kTokens };

struct CurveRequest {
  std::string key;  // "train_cross_entropy"
  CurveAxis axis = CurveAxis::kStep;
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  size_t buckets = 2000;
};

inline constexpr size_t kMaxBuckets = 2000;

// {"key", "x", "low", "high", "last", "smooth", "values"}: `values` is the number of values in the range; `smooth` only
// if the values are noisy. The range includes the neighbours of its ends, so that lines reach the edges.
Json curve_json(const WatchedRun& run, const CurveRequest& request);

// The phases of a step over a range of steps, for each worker: seconds per step, means.
Json phases_json(const WatchedRun& run, double from, double to, size_t buckets);

// The place of a step on an axis; NaN: not known.
double place_of_step(const WatchedRun& run, CurveAxis axis, int64_t step);

// The keys of all curves, training first.
std::vector<std::string> curve_keys(const WatchedRun& run);

}  // namespace verbund
