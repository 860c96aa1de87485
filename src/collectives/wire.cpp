// SPDX-License-Identifier: Apache-2.0
#include "collectives/wire.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/portable_loop.h"

namespace verbund {
namespace {

constexpr size_t kScaleBytes = sizeof(float);
constexpr uint32_t kInfinity = 0x7f800000;

// All of it in selects, so that the loops below become vector code.

inline uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>((bits & 0x7fffffff) > kInfinity ? (bits >> 16) | 0x40 : rounded);
}

inline float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t to_fp16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff, sign = (bits >> 16) & 0x8000;
  // Below 2^-14 the step is 2^-24: adding 0.5 brings exactly that step to the last bit of a float.
  const uint32_t small =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const uint32_t large = magnitude > kInfinity ? 0x7e00 : 0x7c00;
  const uint32_t result = magnitude < (113u << 23) ? small : magnitude < (143u << 23) ? normal : large;
  return static_cast<uint16_t>(result | sign);
}

inline float from_fp16(uint16_t bits) {
  const uint32_t magnitude = bits & 0x7fffu, sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t shifted = magnitude << 13;
  const float small = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
  const uint32_t large = shifted + (magnitude >= 0x7c00 ? 224u << 23 : 112u << 23);
  const uint32_t result = magnitude < 0x400 ? std::bit_cast<uint32_t>(small) : large;
  return std::bit_cast<float>(result | sign);
}

VERBUND_PORTABLE_LOOP float largest(size_t count, const float* __restrict values) {
  uint32_t result = 0;  // of magnitudes, which order like their bits; a NaN is above all
  for (size_t i = 0; i < count; ++i) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(values[i]) & 0x7fffffff;
    result = magnitude > result ? magnitude : result;
  }
  return std::bit_cast<float>(result);
}

VERBUND_PORTABLE_LOOP void encode_bf16(size_t count, const float* __restrict values, uint16_t* __restrict message) {
  for (size_t i = 0; i < count; ++i) message[i] = to_bf16(values[i]);
}
VERBUND_PORTABLE_LOOP void decode_bf16(size_t count, const uint16_t* __restrict message, float* __restrict values) {
  for (size_t i = 0; i < count; ++i) values[i] = from_bf16(message[i]);
}
VERBUND_PORTABLE_LOOP void encode_fp16(size_t count, const float* __restrict values, float scale,
                                       uint16_t* __restrict message) {
  for (size_t i = 0; i < count; ++i) message[i] = to_fp16(values[i] * scale);
}
VERBUND_PORTABLE_LOOP void decode_fp16(size_t count, const uint16_t* __restrict message, float factor,
                                       float* __restrict values) {
  for (size_t i = 0; i < count; ++i) values[i] = from_fp16(message[i]) * factor;
}
// Adding this leaves no bits for fractions: the sum's last byte is the nearest integer, ties to even.
constexpr float kRounder = 0x1.8p23f;

VERBUND_PORTABLE_LOOP void encode_bytes(size_t count, const float* __restrict values, float factor,
                                        int8_t* __restrict bytes) {
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<int8_t>(std::bit_cast<uint32_t>(values[i] * factor + kRounder));
  }
}
VERBUND_PORTABLE_LOOP void decode_bytes(size_t count, const int8_t* __restrict bytes, float scale,
                                        float* __restrict values) {
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(bytes[i]) * scale;
}
// Scale of a block of int8. Where 1 / scale would overflow, it is 0, and so are all values.
float scale_of_block(float largest) {
  if (!std::isfinite(largest)) return std::numeric_limits<float>::quiet_NaN();
  const float scale = largest / 127;
  return scale < std::numeric_limits<float>::min() ? 0 : scale;
}

// Each block of a message of int8, with its place there.
template <typename Message, typename Each>
void for_each_block(size_t count, Message* message, Each each) {
  for (size_t begin = 0; begin < count; begin += kWireBlock) {
    const size_t size = std::min(kWireBlock, count - begin);
    each(begin, size, message);
    message += kScaleBytes + size;
  }
}

void encode_int8(std::span<const float> values, std::byte* message) {
  for_each_block(values.size(), message, [&](size_t begin, size_t size, std::byte* block) {
    const float scale = scale_of_block(largest(size, &values[begin]));
    std::memcpy(block, &scale, kScaleBytes);
    const float factor = scale > 0 ? 1 / scale : 0;
    encode_bytes(size, &values[begin], factor, reinterpret_cast<int8_t*>(block + kScaleBytes));
  });
}

void decode_int8(const std::byte* message, std::span<float> values) {
  for_each_block(values.size(), message, [&](size_t begin, size_t size, const std::byte* block) {
    float scale;
    std::memcpy(&scale, block, kScaleBytes);
    decode_bytes(size, reinterpret_cast<const int8_t*>(block + kScaleBytes), scale, &values[begin]);
  });
}

// The power of two that brings `largest` to [2^14, 2^15); 1 if there is none.
float scale_for(float largest) {
  if (largest == 0 || !std::isfinite(largest)) return 1;
  return std::ldexp(1.0f, std::min(126, 14 - std::ilogb(largest)));
}

const uint16_t* halves(const std::byte* message) { return reinterpret_cast<const uint16_t*>(message); }
uint16_t* halves(std::byte* message) { return reinterpret_cast<uint16_t*>(message); }

float read_factor(const std::byte* message) {
  float scale;
  std::memcpy(&scale, message, sizeof scale);
  return 1 / scale;
}

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

size_t wire_size(Wire wire, size_t count) {
  if (wire == Wire::kFp32) return count * sizeof(float);
  if (wire == Wire::kInt8) return count + (count + kWireBlock - 1) / kWireBlock * kScaleBytes;
  return count * sizeof(uint16_t) + (wire == Wire::kFp16 ? kScaleBytes : 0);
}

void encode(Wire wire, std::span<const float> values, std::byte* message) {
  switch (wire) {
    case Wire::kFp32:
      std::memcpy(message, values.data(), values.size_bytes());
      return;
    case Wire::kBf16:
      return encode_bf16(values.size(), values.data(), halves(message));
    case Wire::kFp16: {
      const float scale = scale_for(largest(values.size(), values.data()));
      std::memcpy(message, &scale, kScaleBytes);
      return encode_fp16(values.size(), values.data(), scale, halves(message + kScaleBytes));
    }
    case Wire::kInt8:
      return encode_int8(values, message);
  }
}

void decode(Wire wire, const std::byte* message, std::span<float> values) {
  switch (wire) {
    case Wire::kFp32:
      std::memcpy(values.data(), message, values.size_bytes());
      return;
    case Wire::kBf16:
      return decode_bf16(values.size(), halves(message), values.data());
    case Wire::kFp16:
      return decode_fp16(values.size(), halves(message + kScaleBytes), read_factor(message), values.data());
    case Wire::kInt8:
      return decode_int8(message, values);
  }
}

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
