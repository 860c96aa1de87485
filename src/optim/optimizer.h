// What makes new weights from weights and gradients. All three are flat buffers in the
// same order; what the optimiser remembers lies in further buffers of that order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/optim_config.h"
#include "optim/interval.h"

namespace verbund {

// One buffer of an optimiser, for checkpoints: written from it, read back into it.
struct OptimizerState {
  std::string name;
  std::span<float> values;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One update of all weights. Gradients are multiplied by `gradient_scale` on the way
  // (1 / tokens, 1 / loss scale, the factor of clipping), which saves a pass over them.
  void step(std::span<float> weights, std::span<const float> gradients, double rate, double gradient_scale);

  // The same in parts: begin_step() once, then each part once, in any order. Updating
  // parts gives the bits of updating all, so workers may each take a part.
  void begin_step() { ++updates_; }
  void step_part(Interval part, std::span<float> weights, std::span<const float> gradients, double rate,
                 double gradient_scale);

  // These pieces keep their weights from now on (and only these: a new call replaces the last).
  void freeze(std::vector<Interval> frozen) { active_ = complement(std::move(frozen), size_); }
  // All the others, in order.
  const std::vector<Interval>& active() const { return active_; }

  virtual std::vector<OptimizerState> state() = 0;

  // How many updates there have been; belongs to the state.
  int64_t updates() const { return updates_; }
  void set_updates(int64_t updates) { updates_ = updates; }

 protected:
  explicit Optimizer(size_t size) : size_(size), active_({{0, size}}) {}

  // Update number updates(), counted from 1, of one piece without frozen weights.
  virtual void update(Interval piece, float* weights, const float* gradients, double rate, double gradient_scale) = 0;

 private:
  size_t size_;
  std::vector<Interval> active_;
  int64_t updates_ = 0;
};

// `size`: how many weights there are.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, size_t size);

}  // namespace verbund
