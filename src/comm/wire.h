// Values on the wire: as they are, or rounded to 16 bits. A message of fp16 begins with a power
// of two by which its values were multiplied, chosen so that the largest just fits: nothing
// overflows, and little underflows, however large or small gradients are.
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
