#include "optim/sgd.h"

namespace verbund {

Sgd::Sgd(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned)
    : Optimizer(size, std::move(owned)),
      config_(config),
      momentum_(device, config.momentum > 0 ? owned_size() : 0, "momentum") {}

std::vector<OptimizerState> Sgd::state() {
  if (momentum_.size() == 0) return {};
  return {{"sgd.momentum", momentum_}};
}

void Sgd::update(const OwnedPiece& piece, double rate, double gradient_scale) {
  momentum_.device().sgd({
      .size = piece.size,
      .gradients = piece.gradients,
      .weights = piece.weights,
      .momentum = momentum_.size() == 0 ? nullptr : momentum_.data() + piece.state,
      .operands = piece.operands,
      .gradient_scale = static_cast<float>(gradient_scale),
      .weight_decay = static_cast<float>(config_.weight_decay),
      .momentum_keep = static_cast<float>(config_.momentum),
      .rate = static_cast<float>(rate),
  });
}

}  // namespace verbund
