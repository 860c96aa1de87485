// What if the network were faster? The exchange of traced steps is played again, bucket by bucket: each begins when
// every worker has it ready and the one before it is through, and takes a latency plus its bytes over the rate. Both
// are found from the traces themselves; then the same is played with another rate. What computation hides stays hidden,
// what it no longer hides shows.
//
// All workers' traces count, on the common clock: a bucket waits for its slowest worker, and a faster network does not
// change that. Workers that share a host's link share its rate as they did when they were measured: the rate found is
// that of a worker among the others.
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

  // The median time of a step, in seconds, if the network had so many times the bandwidth.
  double step_seconds(double bandwidth_factor) const;

  double measured() const { return measured_; }  // the median of the traced steps, as they were
  double error() const { return error_; }        // median relative error of a played step against the measured one
  double latency() const { return latency_; }    // seconds of a bucket, whatever its size
  double bytes_per_second() const;               // of one worker, sending
  size_t steps() const { return steps_.size(); }

 private:
  struct Bucket {
    double ready = 0;      // by the slowest worker, seconds since the first worker began
    double end = 0;        // by the last worker
    double bytes = 0;      // of the worker that sends most
    bool follows = false;  // it was not ready before the gradients were through: weights of a sharded optimiser
  };
  struct Step {
    std::vector<Bucket> buckets;
    double compute_end = 0;  // of the slowest worker
    double seconds = 0;      // of the whole step, mean over workers
  };

  static Step align(const std::vector<const ExchangeTrace*>& traces);
  void fit();
  double duration(const Bucket& bucket, double begin, double compute_end, double bandwidth_factor) const;
  double play(const Step& step, double bandwidth_factor) const;

  std::vector<Step> steps_;
  double latency_ = 0;
  double seconds_per_byte_ = 0;
  double contention_ = 0;  // seconds per byte more while computation takes the cores; no matter of bandwidth
  double measured_ = 0, error_ = 0;
};

}  // namespace verbund
