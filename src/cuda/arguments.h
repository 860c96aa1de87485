// SPDX-License-Identifier: Apache-2.0
// Helpers of operations_*.cpp that make the arguments of kernels from those of a Device's operations.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/kernels/arguments.h"
#include "kernels/operations.h"

namespace verbund::cuda {

inline constexpr unsigned kThreads = 256;

inline uint64_t blocks_for(int64_t count, int64_t each) { return static_cast<uint64_t>((count + each - 1) / each); }

// Keys and positions of dropout are laid out alike on both sides.
static_assert(sizeof(MaskKey) == sizeof(DropoutKey) && sizeof(MaskPosition) == sizeof(TokenPosition));
inline MaskKey mask_key(const DropoutKey& key) { return {key.key, key.threshold, key.scale}; }
inline const MaskPosition* mask_positions(const TokenPosition* positions) {
  return reinterpret_cast<const MaskPosition*>(positions);
}

// Whether rows from here may be read four numbers at a time.
inline bool aligned(const float* array) { return reinterpret_cast<uintptr_t>(array) % 16 == 0; }
inline bool aligned(ConstTypedFloats array) {
  return reinterpret_cast<uintptr_t>(array.data) % static_cast<uintptr_t>(4 * size_of(array.type)) == 0;
}
template <typename... Arrays>
bool all_aligned(int64_t width, const Arrays&... arrays) {
  return width % 4 == 0 && (aligned(arrays) && ...);
}

// The strips of a row (kernels/strips.cuh).
inline int64_t strips_of_row(int64_t d) { return (d + 127) / 128 * 4; }

}  // namespace verbund::cuda
