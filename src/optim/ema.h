// SPDX-License-Identifier: Apache-2.0
// WeightEma is the exponential moving average (EMA) of the weights, which often translates better than the last
// weights. The n-th update (n from 1) moves it towards the weights w:
//
//   average = average + (1 - d) (w - average)    with d = min(decay, (1 + n) / (10 + n))
//
// and it starts as the first weights. The fraction makes it forget the early, bad weights quickly; `warmup: false`
// leaves it out.
#pragma once

#include <cstdint>

#include "config/optim_config.h"
#include "device/buffer.h"

namespace verbund {

class WeightEma {
 public:
  // With decay 0 nothing is averaged and no memory is held.
  WeightEma(Device& device, const EmaConfig& config, size_t size);

  // The weights after step `step`, counted from 1; those before start_step leave no trace. `steps`: since the last
  // update; the decay is applied once for each of them.
  void update(const Buffer& weights, int64_t step, int64_t steps = 1);

  bool enabled() const { return config_.decay > 0; }

  // Whether there is an average to be used: not before start_step.
  bool started() const { return weights_seen_ > 0; }

  // The average, and how many weights went into it: the whole state, for checkpoints.
  Buffer& values() { return average_; }
  const Buffer& values() const { return average_; }
  int64_t weights_seen() const { return weights_seen_; }
  void set_weights_seen(int64_t seen) { weights_seen_ = seen; }

 private:
  EmaConfig config_;
  Buffer average_;
  int64_t weights_seen_ = 0;
};

}  // namespace verbund
