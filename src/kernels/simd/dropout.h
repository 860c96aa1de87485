// Dropout masks: Philox (7 rounds, which passes the usual test batteries) on 16 counters at
// a time; each gives 8 decisions of 16 bits, so one call decides over 128 features.
#pragma once

#include "kernels/simd/vector.h"

namespace verbund::VERBUND_SIMD_NAME {

constexpr int64_t kMaskFeatures = 128;  // decided by one call

// mask[i] is 0 or key.scale for features [128 block, 128 (block + 1)).
inline void dropout_block(const DropoutKey& key, uint64_t sentence, uint32_t position, uint32_t block, float* mask) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  uint32_t x0[kLanes], x1[kLanes], x2[kLanes], x3[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    x0[i] = block * kLanes + static_cast<uint32_t>(i);
    x1[i] = position;
    x2[i] = static_cast<uint32_t>(sentence);
    x3[i] = static_cast<uint32_t>(sentence >> 32);
  }
  uint32_t k0 = static_cast<uint32_t>(key.key), k1 = static_cast<uint32_t>(key.key >> 32);
  for (int round = 0; round < 7; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t product0 = uint64_t{kMultiplier0} * x0[i];
      const uint64_t product1 = uint64_t{kMultiplier1} * x2[i];
      x0[i] = static_cast<uint32_t>(product1 >> 32) ^ x1[i] ^ k0;
      x1[i] = static_cast<uint32_t>(product1);
      x2[i] = static_cast<uint32_t>(product0 >> 32) ^ x3[i] ^ k1;
      x3[i] = static_cast<uint32_t>(product0);
    }
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  const auto decide = [&](const uint32_t* words, float* out) {
    for (int i = 0; i < kLanes; ++i) {
      out[i] = (words[i] & 0xFFFF) >= key.threshold ? key.scale : 0.0f;
      out[i + kLanes] = (words[i] >> 16) >= key.threshold ? key.scale : 0.0f;
    }
  };
  decide(x0, mask);
  decide(x1, mask + 2 * kLanes);
  decide(x2, mask + 4 * kLanes);
  decide(x3, mask + 6 * kLanes);
}

}  // namespace verbund::VERBUND_SIMD_NAME
