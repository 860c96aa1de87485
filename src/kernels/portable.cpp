// SPDX-License-Identifier: Apache-2.0
// The CPU's operations that are compiled once: updates of flat buffers and sums over them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/portable_loop.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace verbund::portable {
namespace {

// FlushDenormals counts numbers below 1e-38 as zero while it lives. A moment of Adam whose gradient stays 0 decays into
// that range and stays there, where some processors are 100 times slower.
class FlushDenormals {
 public:
#if defined(__SSE__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(before_); }
#else
  FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  [[maybe_unused]] unsigned before_ = 0;
};

size_t block_count(size_t size) { return (size + kBlockSize - 1) / kBlockSize; }

// Calls work(block's number, its interval) for all blocks of `whole` on all threads, in no fixed order. What a block
// computes does not depend on the number of threads, so neither does the result.
template <typename Work>
void for_each_block(Interval whole, const Work& work) {
  const auto blocks = static_cast<int64_t>(block_count(whole.size()));
#pragma omp parallel if (blocks > 1)
  {
    const FlushDenormals flush;
#pragma omp for schedule(static)
    for (int64_t block = 0; block < blocks; ++block) {
      const size_t begin = whole.begin + static_cast<size_t>(block) * kBlockSize;
      work(static_cast<size_t>(block), Interval{begin, std::min(begin + kBlockSize, whole.end)});
    }
  }
}

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

VERBUND_PORTABLE_LOOP void ema_block(size_t size, float share, const float* __restrict weights,
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

void adam(const AdamUpdate& update) {
  for_each_block({0, update.size}, [&](size_t, Interval block) {
    adam_block(block.size(), update, update.gradients + block.begin, update.weights + block.begin,
               update.mean + block.begin, update.square + block.begin);
  });
}

void sgd(const SgdUpdate& update) {
  for_each_block({0, update.size}, [&](size_t, Interval block) {
    if (update.momentum == nullptr) {
      sgd_block(block.size(), update, update.gradients + block.begin, update.weights + block.begin);
    } else {
      momentum_block(block.size(), update, update.gradients + block.begin, update.weights + block.begin,
                     update.momentum + block.begin);
    }
  });
}

void ema(const EmaUpdate& update) {
  for_each_block({0, update.size}, [&](size_t, Interval block) {
    ema_block(block.size(), update.share, update.weights + block.begin, update.average + block.begin);
  });
}

Magnitude measure(const float* values, std::span<const Interval> intervals) {
  Magnitude total;
  std::vector<Magnitude> blocks;
  for (const Interval interval : intervals) {
    blocks.assign(block_count(interval.size()), {});
    for_each_block(interval, [&](size_t number, Interval block) {
      measure_block(block.size(), values + block.begin, &blocks[number]);
    });
    for (const Magnitude& block : blocks) {
      total.squares += block.squares;
      total.largest = std::max(total.largest, block.largest);
    }
  }
  return total;
}

void sum_losses(const SumLosses& op) {
  *op.sums = {};
  for (int64_t i = 0; i < op.rows; ++i) {
    op.sums->smoothed += op.smoothed[i];
    op.sums->cross_entropy += op.cross_entropy[i];
    op.sums->correct += op.best[i] == op.targets[i] ? 1 : 0;
  }
}

void add_probabilities(const AddProbabilities& op) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < op.rows; ++row) {
    for (int64_t i = row * op.vocabulary; i < (row + 1) * op.vocabulary; ++i) {
      op.probabilities[i] += op.share * std::exp(op.logits[i] - op.log_partition[row]);
    }
  }
}

void take_logarithm(const TakeLogarithm& op) {
  for (int64_t i = 0; i < op.count; ++i) op.values[i] = std::log(op.values[i]);
}

void round(const RoundValues& op) {
  if (op.size > 0 && op.operands.data != op.values) std::memcpy(op.operands.data, op.values, op.size * sizeof(float));
}

void swap(const SwapBuffers& op) { std::swap_ranges(op.a, op.a + op.size, op.b); }

}  // namespace verbund::portable
