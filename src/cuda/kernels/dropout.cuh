// SPDX-License-Identifier: Apache-2.0
// Dropout masks, bit by bit those of the CPU (kernels/simd/dropout.h): Philox with 7 rounds gives 8 decisions per
// counter, over features that are 16 apart.
#pragma once

#include "arguments.h"
#include "language.cuh"

// The 8 decisions of one counter: bit k is set if feature 128 block + 16 k + lane is kept.
__device__ __forceinline__ uint32_t kept_by_counter(const MaskKey& key, uint64_t sentence, uint32_t position,
                                                    uint32_t block, uint32_t lane) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  uint32_t x0 = block * 16 + lane, x1 = position;
  uint32_t x2 = static_cast<uint32_t>(sentence), x3 = static_cast<uint32_t>(sentence >> 32);
  uint32_t k0 = static_cast<uint32_t>(key.key), k1 = static_cast<uint32_t>(key.key >> 32);
  UNROLL
  for (int round = 0; round < 7; ++round) {
    const uint32_t high0 = __umulhi(x0, kMultiplier0), low0 = x0 * kMultiplier0;
    const uint32_t high1 = __umulhi(x2, kMultiplier1), low1 = x2 * kMultiplier1;
    x0 = high1 ^ x1 ^ k0;
    x1 = low1;
    x2 = high0 ^ x3 ^ k1;
    x3 = low0;
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  const uint32_t words[4] = {x0, x1, x2, x3};
  uint32_t kept = 0;
  UNROLL
  for (int word = 0; word < 4; ++word) {
    kept |= static_cast<uint32_t>((words[word] & 0xFFFFu) >= key.threshold) << (2 * word);
    kept |= static_cast<uint32_t>(words[word] >> 16 >= key.threshold) << (2 * word + 1);
  }
  return kept;
}
