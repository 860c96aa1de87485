// SPDX-License-Identifier: Apache-2.0
#include "report/replay.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "statistics/least_squares.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

// More would not improve the medians.
constexpr size_t kMaxReplayedSteps = 400;

// Calls use(bucket, begin, seconds) for each bucket of a measured step.
template <typename Step, typename Use>
void measured_durations(const Step& step, Use use) {
  double before = 0;
  for (size_t i = 0; i < step.buckets.size(); ++i) {
    const double begin = std::max(before, step.buckets[i].ready);
    use(i, begin, std::max(0.0, step.buckets[i].end - begin));
    before = std::max(before, step.buckets[i].end);
  }
}

}  // namespace

Replay::Step Replay::align(const std::vector<const ExchangeTrace*>& traces) {
  double first = traces.front()->began;
  for (const ExchangeTrace* trace : traces) first = std::min(first, trace->began);
  Step step;
  step.buckets.resize(traces.front()->buckets.size());
  for (const ExchangeTrace* trace : traces) {
    const double offset = trace->began - first;
    step.compute_end = std::max(step.compute_end, offset + trace->compute);
    step.seconds += trace->seconds / static_cast<double>(traces.size());
    for (size_t i = 0; i < step.buckets.size(); ++i) {
      const BucketTimes& times = trace->buckets[i];
      Bucket& bucket = step.buckets[i];
      bucket.ready = std::max(bucket.ready, offset + times.ready);
      bucket.end = std::max(bucket.end, offset + times.end);
      bucket.bytes = std::max(bucket.bytes, static_cast<double>(times.bytes));
    }
  }
  // The weights of a sharded optimiser come last, after gradients and update, and have as many bytes as the gradients.
  double gradient_bytes = 0;
  for (size_t i = 0; i < step.buckets.size(); ++i) {
    Bucket& bucket = step.buckets[i];
    bucket.follows = i > 0 && i + 1 == step.buckets.size() && bucket.bytes > 0.4 * gradient_bytes &&
                     bucket.ready > step.compute_end + 1e-4 && bucket.ready >= step.buckets[i - 1].end - 1e-4;
    if (!bucket.follows) step.compute_end = std::max(step.compute_end, bucket.ready);  // it waited for data
    gradient_bytes += bucket.bytes;
  }
  return step;
}

std::optional<Replay> Replay::make(const std::vector<ExchangeTrace>& traces, int workers) {
  if (workers < 2) return std::nullopt;
  std::map<int64_t, std::map<int, const ExchangeTrace*>> by_step;
  for (const ExchangeTrace& trace : traces) {
    std::map<int, const ExchangeTrace*>& ranks = by_step[trace.step];
    const ExchangeTrace*& known = ranks[trace.rank];
    if (!known || trace.start >= known->start) known = &trace;  // of a repeated step, the last counts
  }
  Replay replay;
  const size_t stride = by_step.size() / kMaxReplayedSteps + 1;
  size_t number = 0;
  for (const auto& [step, ranks] : by_step) {
    if (number++ % stride != 0 || ranks.size() != static_cast<size_t>(workers)) continue;
    std::vector<const ExchangeTrace*> all;
    for (const auto& [rank, trace] : ranks) all.push_back(trace);
    const auto fits = [&](const ExchangeTrace* trace) {
      return trace->start == all.front()->start && trace->buckets.size() == all.front()->buckets.size();
    };
    if (all.front()->buckets.empty() || !std::all_of(all.begin(), all.end(), fits)) continue;
    replay.steps_.push_back(align(all));
  }
  if (replay.steps_.empty()) return std::nullopt;
  replay.fit();

  std::vector<double> seconds, errors;
  for (const Step& step : replay.steps_) {
    seconds.push_back(step.seconds);
    errors.push_back(std::abs(replay.play(step, 1) / step.seconds - 1));
  }
  replay.measured_ = median(seconds);
  replay.error_ = median(errors);
  return replay;
}

// Fits the medians of each bucket over the steps, which are robust against outliers.
void Replay::fit() {
  std::map<size_t, std::vector<double>> seconds, bytes, hidden;
  for (const Step& step : steps_) {
    measured_durations(step, [&](size_t i, double begin, double took) {
      seconds[i].push_back(took);
      bytes[i].push_back(step.buckets[i].bytes);
      hidden[i].push_back(took > 0 ? std::clamp((step.compute_end - begin) / took, 0.0, 1.0) : 0);
    });
  }
  std::vector<double> y, size, hidden_size;
  for (auto& [i, values] : seconds) {
    y.push_back(median(values));
    size.push_back(median(bytes[i]));
    hidden_size.push_back(size.back() * median(hidden[i]));
  }
  const auto take = [&](const std::vector<std::vector<double>>& regressors) {
    const std::optional<Regression> fitted = least_squares(regressors, y);
    if (!fitted) return false;
    for (const Coefficient& coefficient : fitted->coefficients) {
      if (coefficient.value < 0) return false;
    }
    latency_ = fitted->coefficients[0].value;
    seconds_per_byte_ = fitted->coefficients[1].value;
    contention_ = regressors.size() > 1 ? fitted->coefficients[2].value : 0;
    return true;
  };
  const auto [smallest, largest] = std::minmax_element(size.begin(), size.end());
  const bool sizes_differ = *largest > 1.5 * *smallest;
  if (sizes_differ && y.size() >= 6 && take({size, hidden_size})) return;
  if (sizes_differ && take({size})) return;
  // Buckets of one size cannot separate latency from rate: all counts as rate.
  double all_seconds = 0, all_bytes = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    all_seconds += y[i];
    all_bytes += size[i];
  }
  latency_ = contention_ = 0;
  seconds_per_byte_ = all_bytes > 0 ? all_seconds / all_bytes : 0;
}

double Replay::duration(const Bucket& bucket, double begin, double compute_end, double bandwidth_factor) const {
  const double alone = latency_ + bucket.bytes * seconds_per_byte_ / bandwidth_factor;
  if (contention_ <= 0 || begin >= compute_end) return alone;
  // During computation bytes take longer; the rest is sent at full rate.
  const double crowded = alone + bucket.bytes * contention_;
  const double share = std::min(1.0, (compute_end - begin) / crowded);
  return share * crowded + (1 - share) * alone;
}

double Replay::play(const Step& step, double bandwidth_factor) const {
  double measured = 0, played = 0;  // end of the exchange so far
  double through = 0, before = 0;
  for (const Bucket& bucket : step.buckets) {
    if (bucket.follows) {
      measured = std::max(through, step.compute_end);
      played = std::max(before, step.compute_end);
    }
    const double ready = bucket.follows ? bucket.ready + played - measured : bucket.ready;
    const double begin = std::max(before, ready);
    before = begin + duration(bucket, begin, step.compute_end, bandwidth_factor);
    through = std::max(through, bucket.end);
  }
  return step.seconds + std::max(before, step.compute_end) - std::max(through, step.compute_end);
}

double Replay::step_seconds(double bandwidth_factor) const {
  std::vector<double> seconds;
  for (const Step& step : steps_) seconds.push_back(play(step, bandwidth_factor));
  return median(std::move(seconds));
}

double Replay::bytes_per_second() const {
  return seconds_per_byte_ > 0 ? 1 / seconds_per_byte_ : std::numeric_limits<double>::infinity();
}

}  // namespace verbund
