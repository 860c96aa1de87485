// SPDX-License-Identifier: Apache-2.0
// Dropout masks by Philox (7 rounds, which passes the usual test batteries) on 16 counters: each gives 8 decisions of
// 16 bits, so one call decides over 128 features.
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "kernels/simd/vector.h"

namespace verbund::VERBUND_SIMD_NAME {

constexpr int64_t kMaskFeatures = 128;  // decided by one call

// One register of counters. (Left to itself, the compiler computes them one by one.)
#if defined(__AVX512F__)
constexpr int64_t kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr int64_t kRegisterBytes = 32;
#else
constexpr int64_t kRegisterBytes = 16;
#endif
constexpr int64_t kCounters = kRegisterBytes / 4;
using Words = uint32_t __attribute__((vector_size(kRegisterBytes)));
using DoubleWords = uint64_t __attribute__((vector_size(kRegisterBytes)));
using Floats = float __attribute__((vector_size(kRegisterBytes)));

// The products of the lower halves of the lanes.
inline DoubleWords multiply_halves(DoubleWords a, DoubleWords b) {
#if defined(__AVX512F__)
  return (DoubleWords)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (DoubleWords)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (DoubleWords)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

struct Product64 {
  Words low, high;
};

inline Product64 multiply(Words x, uint32_t factor) {
  constexpr uint64_t kLow = 0xFFFFFFFF;
  const DoubleWords factors = factor + DoubleWords{}, lanes = (DoubleWords)x;
  const DoubleWords even = multiply_halves(lanes, factors), odd = multiply_halves(lanes >> 32, factors);
  return {(Words)((even & kLow) | odd << 32), (Words)(even >> 32 | (odd & ~kLow))};
}

// mask[i] is 0 or key.scale for features [128 block, 128 (block + 1)).
inline void dropout_block(const DropoutKey& key, uint64_t sentence, uint32_t position, uint32_t block, float* mask) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int64_t first = 0; first < kLanes; first += kCounters) {
    Words x0, x1 = position + Words{};
    for (int64_t i = 0; i < kCounters; ++i) x0[i] = block * kLanes + static_cast<uint32_t>(first + i);
    Words x2 = static_cast<uint32_t>(sentence) + Words{}, x3 = static_cast<uint32_t>(sentence >> 32) + Words{};
    uint32_t k0 = static_cast<uint32_t>(key.key), k1 = static_cast<uint32_t>(key.key >> 32);
    for (int round = 0; round < 7; ++round) {
      const Product64 product0 = multiply(x0, kMultiplier0), product1 = multiply(x2, kMultiplier1);
      x0 = product1.high ^ x1 ^ k0;
      x1 = product1.low;
      x2 = product0.high ^ x3 ^ k1;
      x3 = product0.low;
      k0 += kWeyl0;
      k1 += kWeyl1;
    }
    const auto decide = [&](Words words, float* out) {
      const Floats kept = key.scale - Floats{}, dropped = {};
      const Floats low = (words & 0xFFFF) >= key.threshold ? kept : dropped;
      const Floats high = words >> 16 >= key.threshold ? kept : dropped;
      std::memcpy(out + first, &low, sizeof(low));
      std::memcpy(out + kLanes + first, &high, sizeof(high));
    };
    decide(x0, mask);
    decide(x1, mask + 2 * kLanes);
    decide(x2, mask + 4 * kLanes);
    decide(x3, mask + 6 * kLanes);
  }
}

}  // namespace verbund::VERBUND_SIMD_NAME
