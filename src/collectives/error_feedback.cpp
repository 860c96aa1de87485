#include "collectives/error_feedback.h"

#include "kernels/portable_loop.h"

namespace verbund {
namespace {

VERBUND_PORTABLE_LOOP void add_to_residual(size_t count, const float* __restrict values, float* __restrict residual) {
  for (size_t i = 0; i < count; ++i) residual[i] += values[i];
}

// A NaN, which does not equal itself, leaves no residual.
VERBUND_PORTABLE_LOOP void subtract_rounded(size_t count, const float* __restrict rounded, float* __restrict residual) {
  for (size_t i = 0; i < count; ++i) {
    const float left = residual[i] - rounded[i];
    residual[i] = left == left ? left : 0;
  }
}

VERBUND_PORTABLE_LOOP void scale_residual(size_t count, float factor, float* __restrict residual) {
  for (size_t i = 0; i < count; ++i) residual[i] *= factor;
}

}  // namespace

void ErrorFeedback::encode(Wire wire, size_t chunk, size_t part, std::span<float> values, std::byte* message) {
  std::vector<float>& residual = residuals_[{chunk, part}];
  residual.resize(values.size());
  add_to_residual(values.size(), values.data(), residual.data());
  verbund::encode(wire, residual, message);
  decode(wire, message, values);
  subtract_rounded(values.size(), values.data(), residual.data());
}

std::span<const float> ErrorFeedback::residual(size_t chunk, size_t part) const {
  const auto found = residuals_.find({chunk, part});
  return found == residuals_.end() ? std::span<const float>() : found->second;
}

void ErrorFeedback::set_residual(size_t chunk, size_t part, std::span<const float> values) {
  residuals_[{chunk, part}].assign(values.begin(), values.end());
}

void ErrorFeedback::multiply(float factor) {
  for (auto& [message, residual] : residuals_) scale_residual(residual.size(), factor, residual.data());
}

}  // namespace verbund
