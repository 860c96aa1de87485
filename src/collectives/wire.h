// Values on the wire: as they are, or rounded to 16 or 8 bits. A message of fp16 begins with a power of two by which
// its values were multiplied, chosen so that the largest just fits: nothing overflows, and little underflows, however
// large or small gradients are. A message of int8 is blocks of kWireBlock values: a scale, which is their largest
// magnitude by 127, and for each value a signed byte, how often it has that scale. A block with a value that is not
// finite becomes NaN as a whole: no byte could tell which one it was, and it must not be lost.
#pragma once

#include <cstddef>
#include <span>

#include "config/workers_config.h"

namespace verbund {

// The bytes of `count` values.
size_t wire_size(Wire wire, size_t count);

// To the nearest, ties to even. `message` has wire_size bytes.
void encode(Wire wire, std::span<const float> values, std::byte* message);
void decode(Wire wire, const std::byte* message, std::span<float> values);
void add_decoded(Wire wire, const std::byte* message, std::span<float> values);

}  // namespace verbund
