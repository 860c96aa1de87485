// The wire encodes values for sending: as they are, or rounded to 16 or 8 bits. A message of fp16 starts with a power
// of two by which its values were multiplied, chosen so that the largest just fits: nothing overflows, and little
// underflows, however large or small gradients are. A message of int8 consists of blocks of kWireBlock values: a scale,
// which is their largest magnitude divided by 127, and a signed byte for each value, the multiple of that scale. A
// block with a value that is not finite becomes NaN as a whole: no byte can mark that value, and it must not be lost.
#pragma once

#include <cstddef>
#include <span>

#include "config/workers_config.h"

namespace verbund {

// The bytes of `count` values.
size_t wire_size(Wire wire, size_t count);

// Rounds to the nearest, ties to even. `message` has wire_size bytes.
void encode(Wire wire, std::span<const float> values, std::byte* message);
void decode(Wire wire, const std::byte* message, std::span<float> values);
void add_decoded(Wire wire, const std::byte* message, std::span<float> values);

}  // namespace verbund
