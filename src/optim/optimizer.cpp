// SPDX-License-Identifier: Apache-2.0
#include "optim/optimizer.h"

#include "core/error.h"

namespace verbund {

Optimizer::Optimizer(size_t size, std::vector<Interval> owned)
    : size_(size), owned_(std::move(owned)), active_(owned_) {
  for (const Interval interval : owned_) {
    if (interval.begin > interval.end || interval.end > size_) {
      fail("interval [{}, {}) is outside the {} weights", interval.begin, interval.end, size_);
    }
  }
}

size_t Optimizer::owned_size() const {
  size_t size = 0;
  for (const Interval interval : owned_) size += interval.size();
  return size;
}

void Optimizer::freeze(std::vector<Interval> frozen) {
  active_.clear();
  const std::vector<Interval> moving = complement(std::move(frozen), size_);
  for (const Interval mine : owned_) {
    for (const Interval interval : moving) {
      if (const Interval both = intersection(mine, interval); both.size() > 0) active_.push_back(both);
    }
  }
}

void Optimizer::step(Weights& weights, const Buffer& gradients, double rate, double gradient_scale) {
  if (weights.size() != size_ || gradients.size() != size_) {
    fail("the optimiser was made for {} weights but got {} weights and {} gradients", size_, weights.size(),
         gradients.size());
  }
  ++updates_;
  const Weights::Both both = weights.write_both();
  size_t state = 0, mine = 0;  // of the owned interval that holds the active one
  for (const Interval interval : active_) {
    while (interval.begin >= owned_[mine].end) state += owned_[mine++].size();
    const auto first = static_cast<int64_t>(interval.begin);
    update({interval.size(), state + interval.begin - owned_[mine].begin, gradients.data() + first, both.values + first,
            both.operands ? both.operands + first : TypedFloats()},
           rate, gradient_scale);
  }
}

std::unique_ptr<Optimizer> make_optimizer(Device& device, const OptimizerConfig& config, size_t size) {
  return make_optimizer(device, config, size, {{0, size}});
}

std::unique_ptr<Optimizer> make_optimizer(Device& device, const OptimizerConfig& config, size_t size,
                                          std::vector<Interval> owned) {
  switch (config.type) {
    case OptimizerType::kAdam:
    case OptimizerType::kLazyAdam:
    case OptimizerType::kAdamW:
      return make_adam(device, config, size, std::move(owned));
    case OptimizerType::kSgd:
      return make_sgd(device, config, size, std::move(owned));
  }
  fail("optimiser type {} is not known", static_cast<int>(config.type));
}

}  // namespace verbund
