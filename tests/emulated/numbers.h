// SPDX-License-Identifier: Apache-2.0
// The 16-bit numbers of GPUs as bits, to float and back, rounded to nearest with ties to even; and tf32, a float with
// as few bits as half.
#pragma once

#include <bit>
#include <cstdint>

namespace emulated {

inline float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>((bits >> 16) | 0x40);  // a NaN stays one
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// By bits, as the compiler's own conversions are calls of functions where the processor has no instruction for them.
inline float half_to_float(uint16_t bits) {
  constexpr uint32_t kExponent = 0x0f800000, kBias = (127 - 15) << 23;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t value = static_cast<uint32_t>(bits & 0x7fff) << 13;
  const uint32_t exponent = value & kExponent;
  value += kBias;
  if (exponent == kExponent) value += (128 - 16) << 23;  // infinite or NaN
  if (exponent == 0) {  // below the smallest normal number: the float of the same fraction, less its leading one
    value = std::bit_cast<uint32_t>(std::bit_cast<float>(value + (1 << 23)) - 0x1p-14f);
  }
  return std::bit_cast<float>(value | sign);
}

inline uint16_t float_to_half(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  const uint32_t sign = (bits >> 16) & 0x8000, value = bits & 0x7fffffff;
  uint32_t half = (value + 0xfff + ((value >> 13) & 1) - ((127 - 15) << 23)) >> 13;
  // Below the smallest normal number: 0.5 has just the last bit that is left then, and the addition rounds.
  if (value < 0x38800000) half = std::bit_cast<uint32_t>(std::bit_cast<float>(value) + 0.5f) - 0x3f000000;
  if (value >= 0x47800000) half = value > 0x7f800000 ? 0x7e00 : 0x7c00;
  return static_cast<uint16_t>(half | sign);
}

// Ten bits of fraction, ties away from zero: what cvt.rna.tf32 does.
inline float round_to_tf32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000) return value;
  return std::bit_cast<float>((bits + 0x1000) & 0xffffe000);
}

}  // namespace emulated
