#include "kernels/updates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/blocks.h"
#include "kernels/portable_loop.h"

namespace verbund {
namespace {

// 28 bytes move per weight, so the arithmetic is free and one loop serves every variant.
VERBUND_PORTABLE_LOOP void adam_block(size_t size, const AdamUpdate& f, const float* __restrict gradients,
                                      float* __restrict weights, float* __restrict mean, float* __restrict square) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) {
    const float gradient = gradients[i] * f.gradient_scale + weights[i] * f.gradient_decay;
    const float m = mean[i] * f.beta1 + gradient * f.one_minus_beta1;
    const float v = square[i] * f.beta2 + gradient * gradient * f.one_minus_beta2;
    mean[i] = m;
    square[i] = v;
    weights[i] = weights[i] * f.weight_keep - f.rate * (m / (std::sqrt(v) * f.root_scale + f.epsilon));
  }
}

VERBUND_PORTABLE_LOOP void sgd_block(size_t size, const SgdUpdate& f, const float* __restrict gradients,
                                     float* __restrict weights) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) {
    const float gradient = gradients[i] * f.gradient_scale + weights[i] * f.weight_decay;
    weights[i] -= f.rate * gradient;
  }
}

VERBUND_PORTABLE_LOOP void momentum_block(size_t size, const SgdUpdate& f, const float* __restrict gradients,
                                          float* __restrict weights, float* __restrict momentum) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) {
    const float gradient = gradients[i] * f.gradient_scale + weights[i] * f.weight_decay;
    momentum[i] = momentum[i] * f.momentum_keep + gradient;
    weights[i] -= f.rate * momentum[i];
  }
}

VERBUND_PORTABLE_LOOP void average_block(size_t size, float share, const float* __restrict weights,
                                         float* __restrict average) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) average[i] += share * (weights[i] - average[i]);
}

// Value i goes to lane i mod 16, whatever the width of the processor's vectors: so the
// order of additions, and with it the last bit, is the same everywhere. Sums are in double
// precision, where squares of floats are exact and cannot overflow.
constexpr size_t kLanes = 16;

VERBUND_PORTABLE_LOOP void measure_block(size_t size, const float* __restrict values, Magnitude* result) {
  double squares[kLanes] = {};
  float largest[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
#pragma omp simd
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float magnitude = __builtin_fabsf(values[i + lane]);
      largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
      squares[lane] += static_cast<double>(magnitude) * magnitude;
    }
  }
  for (size_t lane = 0; i < size; ++i, ++lane) {
    const float magnitude = __builtin_fabsf(values[i]);
    largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
    squares[lane] += static_cast<double>(magnitude) * magnitude;
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    result->squares += squares[lane];
    result->largest = std::max(result->largest, largest[lane]);
  }
}

}  // namespace

void update_adam(const AdamUpdate& update) {
  for_each_block({0, update.size}, [&](size_t, Interval block) {
    adam_block(block.size(), update, update.gradients + block.begin, update.weights + block.begin,
               update.mean + block.begin, update.square + block.begin);
  });
}

void update_sgd(const SgdUpdate& update) {
  for_each_block({0, update.size}, [&](size_t, Interval block) {
    if (update.momentum == nullptr) {
      sgd_block(block.size(), update, update.gradients + block.begin, update.weights + block.begin);
    } else {
      momentum_block(block.size(), update, update.gradients + block.begin, update.weights + block.begin,
                     update.momentum + block.begin);
    }
  });
}

void update_average(const AverageUpdate& update) {
  for_each_block({0, update.size}, [&](size_t, Interval block) {
    average_block(block.size(), update.share, update.weights + block.begin, update.average + block.begin);
  });
}

Magnitude measure_magnitude(const float* values, std::span<const Interval> pieces) {
  Magnitude total;
  std::vector<Magnitude> blocks;
  for (const Interval piece : pieces) {
    blocks.assign(block_count(piece.size()), {});
    for_each_block(piece, [&](size_t number, Interval block) {
      measure_block(block.size(), values + block.begin, &blocks[number]);
    });
    for (const Magnitude& block : blocks) {
      total.squares += block.squares;
      total.largest = std::max(total.largest, block.largest);
    }
  }
  return total;
}

}  // namespace verbund
