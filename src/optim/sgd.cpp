#include "optim/sgd.h"

#include "optim/blocks.h"
#include "optim/kernel.h"

namespace verbund {
namespace {

struct SgdFactors {
  float gradient_scale;
  float weight_decay;
  float momentum;
  float rate;
};

VERBUND_OPTIM_KERNEL void sgd_block(size_t size, SgdFactors f, const float* __restrict gradients,
                                    float* __restrict weights) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) {
    const float gradient = gradients[i] * f.gradient_scale + weights[i] * f.weight_decay;
    weights[i] -= f.rate * gradient;
  }
}

VERBUND_OPTIM_KERNEL void momentum_block(size_t size, SgdFactors f, const float* __restrict gradients,
                                         float* __restrict weights, float* __restrict momentum) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) {
    const float gradient = gradients[i] * f.gradient_scale + weights[i] * f.weight_decay;
    momentum[i] = momentum[i] * f.momentum + gradient;
    weights[i] -= f.rate * momentum[i];
  }
}

}  // namespace

Sgd::Sgd(const OptimizerConfig& config, size_t size, std::vector<Interval> owned)
    : Optimizer(size, std::move(owned)), config_(config), momentum_(config.momentum > 0 ? owned_size() : 0) {}

std::vector<OptimizerState> Sgd::state() {
  if (momentum_.size() == 0) return {};
  return {{"sgd.momentum", momentum_.values()}};
}

void Sgd::update(Interval piece, size_t state, float* weights, const float* gradients, double rate,
                 double gradient_scale) {
  const SgdFactors factors = {
      .gradient_scale = static_cast<float>(gradient_scale),
      .weight_decay = static_cast<float>(config_.weight_decay),
      .momentum = static_cast<float>(config_.momentum),
      .rate = static_cast<float>(rate),
  };
  for_each_block(piece, [&](size_t, Interval block) {
    if (momentum_.size() == 0) {
      sgd_block(block.size(), factors, gradients + block.begin, weights + block.begin);
    } else {
      momentum_block(block.size(), factors, gradients + block.begin, weights + block.begin,
                     momentum_.data() + state + block.begin - piece.begin);
    }
  });
}

}  // namespace verbund
