// The 16-bit numbers of GPUs as bits, to float and back, rounded to nearest with ties to even; and tf32, a float with
// as few bits as half.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace emulated {

inline float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>((bits >> 16) | 0x40);  // a NaN stays one
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline float half_to_float(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
inline uint16_t float_to_half(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

// Ten bits of fraction, ties away from zero: what cvt.rna.tf32 does.
inline float round_to_tf32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000) return value;
  return std::bit_cast<float>((bits + 0x1000) & 0xffffe000);
}

}  // namespace emulated
