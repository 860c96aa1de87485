// SPDX-License-Identifier: Apache-2.0
// The kernel table of one instruction set: compiled several times, with VERBUND_SIMD_NAME naming the set and its
// namespace.
#include "kernels/simd/activation.h"
#include "kernels/simd/attention.h"
#include "kernels/simd/elementwise.h"
#include "kernels/simd/gemm.h"
#include "kernels/simd/loss.h"
#include "kernels/simd/norm.h"
#include "kernels/simd/step.h"

namespace verbund::VERBUND_SIMD_NAME {

#define VERBUND_STRING(x) #x
#define VERBUND_NAME_OF(x) VERBUND_STRING(x)

static void dropout_row(const DropoutKey& key, uint64_t sentence, uint32_t position, uint32_t first_block,
                        int64_t features, float* mask) {
  for (int64_t first = 0; first < features; first += kMaskFeatures) {
    float block[kMaskFeatures];
    dropout_block(key, sentence, position, first_block + static_cast<uint32_t>(first / kMaskFeatures), block);
    for (int64_t i = first; i < std::min(features, first + kMaskFeatures); ++i) {
      mask[i] = key.threshold > 0 ? block[i - first] : 1.0f;
    }
  }
}

extern const Kernels kTable;
const Kernels kTable = {.name = VERBUND_NAME_OF(VERBUND_SIMD_NAME),
                        .multiply = multiply,
                        .pack = pack,
                        .tile_rows = kTileRows,
                        .tile_columns = kTileColumns,
                        .dropout_row = dropout_row,
#define VERBUND_ENTRY(operation, Arguments) .operation = operation,
                        VERBUND_SIMD_OPERATIONS(VERBUND_ENTRY)
#undef VERBUND_ENTRY
};

}  // namespace verbund::VERBUND_SIMD_NAME
