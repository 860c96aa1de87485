// SPDX-License-Identifier: Apache-2.0
// The wire encodes values for sending: as they are, or rounded to 16 or 8 bits. A message of fp16 starts with a power
// of two by which its values were multiplied, chosen so that the largest just fits: nothing overflows, and little
// underflows, however large or small gradients are. A message of int8 consists of blocks of kWireBlock values: a scale,
// which is their largest magnitude divided by 127, and a signed byte for each value, the multiple of that scale. A
// block with a value that is not finite becomes NaN as a whole: no byte can mark that value, and it must not be lost.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "config/workers_config.h"

namespace verbund {

// The bytes of `count` values.
size_t wire_size(Wire wire, size_t count);

// Rounds to the nearest, ties to even. `message` has wire_size bytes.
void encode(Wire wire, std::span<const float> values, std::byte* message);
void decode(Wire wire, const std::byte* message, std::span<float> values);

// ErrorFeedback keeps the rounding errors of a buffer's messages (the residuals) and adds them before the next message
// of the same values is rounded. So the sum over many steps is exact to within the rounding of one step, however coarse
// that is. It belongs to whoever exchanges the same buffer step by step.
//
// Messages are told apart by the chunk of the buffer and the part of the sum: part 0 is a total that goes to all
// workers, the others are sums within a host (collectives/chunk_exchange.h).
class ErrorFeedback {
 public:
  // Rounds the values plus their residual, and sets `values` to those of the message. Where these are not finite, no
  // residual is kept.
  void encode(Wire wire, size_t chunk, size_t part, std::span<float> values, std::byte* message);

  // Empty if there is none.
  std::span<const float> residual(size_t chunk, size_t part) const;
  void set_residual(size_t chunk, size_t part, std::span<const float> values);

  // Scales all residuals, as the values of all later messages are scaled.
  void multiply(float factor);
  void clear() { residuals_.clear(); }

 private:
  std::map<std::pair<size_t, size_t>, std::vector<float>> residuals_;  // by chunk and part
};

}  // namespace verbund
