#include "optim/optimizer.h"

#include "core/error.h"
#include "optim/adam.h"
#include "optim/sgd.h"

namespace verbund {

void Optimizer::step(std::span<float> weights, std::span<const float> gradients, double rate, double gradient_scale) {
  begin_step();
  step_part({0, size_}, weights, gradients, rate, gradient_scale);
}

void Optimizer::step_part(Interval part, std::span<float> weights, std::span<const float> gradients, double rate,
                          double gradient_scale) {
  if (weights.size() != size_ || gradients.size() != size_) {
    fail("the optimiser was made for {} weights but got {} weights and {} gradients", size_, weights.size(),
         gradients.size());
  }
  if (part.begin > part.end || part.end > size_) {
    fail("[{}, {}) is no part of {} weights", part.begin, part.end, size_);
  }
  for (const Interval piece : active_) {
    const Interval both = intersection(piece, part);
    if (both.size() > 0) update(both, weights.data(), gradients.data(), rate, gradient_scale);
  }
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, size_t size) {
  switch (config.type) {
    case OptimizerType::kAdam:
    case OptimizerType::kLazyAdam:
    case OptimizerType::kAdamW:
      return std::make_unique<Adam>(config, size);
    case OptimizerType::kSgd:
      return std::make_unique<Sgd>(config, size);
  }
  fail("optimiser type {} is not known", static_cast<int>(config.type));
}

}  // namespace verbund
