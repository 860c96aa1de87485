#include "optim/clip.h"

#include <array>
#include <vector>

#include "core/error.h"
#include "optim/blocks.h"
#include "optim/kernel.h"

namespace verbund {
namespace {

struct BlockSize {
  double squares = 0;
  float largest = 0;
};

// Value i goes to lane i mod 16, whatever the width of the processor's vectors: so the
// order of additions, and with it the last bit, is the same everywhere. Sums are in double
// precision, where squares of floats are exact and cannot overflow.
constexpr size_t kLanes = 16;

VERBUND_OPTIM_KERNEL void measure_block(size_t size, const float* __restrict values, BlockSize* result) {
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

GradientSize measure(std::span<const float> gradients) {
  return measure(gradients, std::array{Interval{0, gradients.size()}});
}

GradientSize measure(std::span<const float> gradients, std::span<const Interval> pieces) {
  double squares = 0;
  float largest = 0;
  std::vector<BlockSize> blocks;
  for (const Interval piece : pieces) {
    if (piece.end > gradients.size()) {
      fail("[{}, {}) is no piece of {} gradients", piece.begin, piece.end, gradients.size());
    }
    blocks.assign(block_count(piece.size()), {});
    for_each_block(piece, [&](size_t number, Interval block) {
      measure_block(block.size(), gradients.data() + block.begin, &blocks[number]);
    });
    for (const BlockSize& block : blocks) {
      squares += block.squares;
      largest = std::max(largest, block.largest);
    }
  }
  // A NaN is larger than nothing, so `largest` has missed it; the sum has not.
  return {std::sqrt(squares), std::isfinite(squares) ? largest : squares};
}

double clip_factor(double norm, double clip_norm) {
  if (!std::isfinite(norm)) fail("the gradient's norm is {}: a step with such a gradient must be skipped", norm);
  return clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1.0;
}

}  // namespace verbund
