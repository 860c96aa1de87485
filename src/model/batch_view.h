// SPDX-License-Identifier: Apache-2.0
// Rows are the packed tokens of one side of a batch in a device's memory, as the model's operations need them.
#pragma once

#include <cstdint>

#include "data/batch.h"
#include "kernels/operations.h"

namespace verbund {

struct Rows {
  int64_t count = 0;  // tokens
  int32_t sentences = 0;
  const int32_t* ids = nullptr;                    // [count]
  const int32_t* offsets = nullptr;                // [sentences + 1]
  const uint64_t* sentence_ids = nullptr;          // [sentences]
  const TokenPosition* token_positions = nullptr;  // [count]
  TokenOrder order = {};                           // where the device needs it
};

// The offset of each sentence's attention weights, and the number of all weights.
struct WeightOffsets {
  const int64_t* offsets = nullptr;  // [sentences + 1]
  int64_t total = 0;
};

// NextRow, while decoding, continues a row of the previous step by one more token.
struct NextRow {
  int32_t parent;
  TokenId token;
};

// Pass identifies a forward or backward pass: its dropout masks and its loss scale.
struct Pass {
  uint64_t seed = 0;
  uint64_t step = 0;
  bool training = true;  // false: no dropout, nothing kept for backward
  float loss_scale = 1;  // the gradient is that of the loss times this
};

// Dropout sites. Numbers, not call order, name a mask, so that every implementation agrees on them.
namespace site {
inline constexpr uint32_t kSourceEmbedding = 1, kTargetEmbedding = 2;
enum Kind : uint32_t { kSelfWeights, kSelfOut, kCrossWeights, kCrossOut, kRelu, kFeedForwardOut, kKinds };
inline constexpr uint32_t encoder(int64_t layer, Kind kind) {
  return 16 + static_cast<uint32_t>(layer) * kKinds + kind;
}
inline constexpr uint32_t decoder(int64_t layer, Kind kind) {
  return 4096 + static_cast<uint32_t>(layer) * kKinds + kind;
}
}  // namespace site

}  // namespace verbund
