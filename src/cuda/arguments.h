// What the files of operations share: the arguments of kernels from those of a Device's operations.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/kernels/arguments.h"
#include "kernels/kernels.h"

namespace verbund::cuda {

inline constexpr unsigned kThreads = 256;

inline uint64_t blocks_for(int64_t count, int64_t each) { return static_cast<uint64_t>((count + each - 1) / each); }

// Dropout's keys and rows are laid out alike on both sides.
static_assert(sizeof(MaskKey) == sizeof(DropoutKey) && sizeof(RowId) == sizeof(TokenPosition));
inline MaskKey mask_key(const DropoutKey& key) { return {key.key, key.threshold, key.scale}; }
inline const RowId* row_ids(const TokenPosition* rows) { return reinterpret_cast<const RowId*>(rows); }

// May rows from here be read four numbers at a time?
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
