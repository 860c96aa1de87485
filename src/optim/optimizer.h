// SPDX-License-Identifier: Apache-2.0
// Optimizer updates weights from gradients. Both are flat buffers in the same order, and so is the optimizer's own
// state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/optim_config.h"
#include "core/interval.h"
#include "device/weights.h"

namespace verbund {

// One buffer of an optimizer's state, for checkpoints: saved from it, loaded into it.
struct OptimizerState {
  std::string name;
  Buffer& values;
};

// An interval of the weights without frozen ones, in the device's memory.
struct OwnedSlice {
  size_t size;
  size_t state;  // the index of its first weight among those that are owned
  const float* gradients;
  float* weights;
  TypedFloats operands;  // the weights in the compute dtype; or null
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update of the owned weights. Several owners, each of which updates its own, compute the same bits together as
  // one that owns all. Gradients are multiplied by `gradient_scale` on the way (1 / tokens, 1 / loss scale, clip
  // factor), which saves a pass over them.
  void step(Weights& weights, const Buffer& gradients, double rate, double gradient_scale);

  // The weights of these intervals do not change from now on (a new call replaces the last).
  void freeze(std::vector<Interval> frozen);
  // All other owned intervals, in order.
  const std::vector<Interval>& active() const { return active_; }

  // One value per owned weight, in order.
  virtual std::vector<OptimizerState> state() = 0;

  // The number of updates so far; it belongs to the state.
  int64_t updates() const { return updates_; }
  void set_updates(int64_t updates) { updates_ = updates; }

 protected:
  // The owned intervals of a buffer of `size` weights, in order.
  Optimizer(size_t size, std::vector<Interval> owned);

  // The number of owned weights.
  size_t owned_size() const;

  // Update number updates(), counted from 1, of one slice.
  virtual void update(const OwnedSlice& slice, double rate, double gradient_scale) = 0;

 private:
  size_t size_;
  std::vector<Interval> owned_, active_;
  int64_t updates_ = 0;
};

std::unique_ptr<Optimizer> make_adam(Device& device, const OptimizerConfig& config, size_t size,
                                     std::vector<Interval> owned);
std::unique_ptr<Optimizer> make_sgd(Device& device, const OptimizerConfig& config, size_t size,
                                    std::vector<Interval> owned);
// The optimizer of the configuration. `size`: the number of weights; all are owned, or these intervals of them.
std::unique_ptr<Optimizer> make_optimizer(Device& device, const OptimizerConfig& config, size_t size);
std::unique_ptr<Optimizer> make_optimizer(Device& device, const OptimizerConfig& config, size_t size,
                                          std::vector<Interval> owned);

}  // namespace verbund
