// SPDX-License-Identifier: Apache-2.0
#include "device/weights.h"

namespace verbund {
namespace {

// The size of a buffer of floats that has room for `size` values of the type; 0 for floats, which need no copy.
size_t floats_for(FloatType type, size_t size) { return type == FloatType::kFp32 ? 0 : (size + 1) / 2; }

}  // namespace

Weights::Weights(Device& device, size_t size)
    : values_(device, size, "weights"), copy_(device, floats_for(device.compute_dtype(), size), "weights in 16 bits") {}

ConstTypedFloats Weights::operands() {
  if (copy_.size() == 0) return values_.data();
  const TypedFloats copy = {copy_.data(), device().compute_dtype()};
  if (stale_) device().round({size(), values_.data(), copy});
  stale_ = false;
  return copy;
}

Buffer& Weights::write() {
  ++version_;
  stale_ = true;
  return values_;
}

Weights::Both Weights::write_both() {
  ++version_;
  if (copy_.size() == 0) return {values_.data(), {}};
  operands();  // what is not written must be up to date
  return {values_.data(), {copy_.data(), device().compute_dtype()}};
}

}  // namespace verbund
