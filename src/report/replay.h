// SPDX-License-Identifier: Apache-2.0
// Replay predicts the step time with another network bandwidth, by replaying the exchange of traced steps bucket by
// bucket: a bucket begins when every worker has it ready and the one before it is done, and takes a latency plus its
// bytes over the rate. Both are fitted to the traces; then the steps are replayed with another rate. Only exchange that
// the computation does not hide counts.
//
// The traces of all workers are used, on the common clock: a bucket waits for the straggler, whatever the network.
// Workers share the link of their host as in the traces: the fitted rate is that of one worker among the others.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "record/exchange_trace.h"

namespace verbund {

inline constexpr double kInfiniteBandwidth = std::numeric_limits<double>::infinity();

class Replay {
 public:
  // Nothing if no step was traced by all `workers` (at least two of them).
  static std::optional<Replay> make(const std::vector<ExchangeTrace>& traces, int workers);

  // The median time of a step, in seconds, if the network had `bandwidth_factor` times the bandwidth.
  double step_seconds(double bandwidth_factor) const;

  double measured() const { return measured_; }  // median of the traced steps
  double error() const { return error_; }        // median relative error of a replayed step
  double latency() const { return latency_; }    // seconds per bucket, independent of its size
  double bytes_per_second() const;               // of one worker, sending
  size_t steps() const { return steps_.size(); }

 private:
  struct Bucket {
    double ready = 0;      // on the straggler, seconds since the first worker began
    double end = 0;        // on the last worker
    double bytes = 0;      // of the worker that sends the most
    bool follows = false;  // weights of a sharded optimiser, ready only after the gradients
  };
  struct Step {
    std::vector<Bucket> buckets;
    double compute_end = 0;  // of the straggler
    double seconds = 0;      // of the whole step, mean over workers
  };

  static Step align(const std::vector<const ExchangeTrace*>& traces);
  void fit();
  double duration(const Bucket& bucket, double begin, double compute_end, double bandwidth_factor) const;
  double play(const Step& step, double bandwidth_factor) const;

  std::vector<Step> steps_;
  double latency_ = 0;
  double seconds_per_byte_ = 0;
  double contention_ = 0;  // additional seconds per byte while the cores compute, independent of bandwidth
  double measured_ = 0, error_ = 0;
};

}  // namespace verbund
