// Matrix products on a CPU, cut over its threads.
#pragma once

#include "kernels/kernels.h"

namespace verbund {

// Does this processor multiply pairs of bfloat16 (AVX512-BF16)?
bool has_bf16_products();

enum class Factors { kFloat, kRoundedToBf16 };  // the latter only where has_bf16_products; sums stay in float

// On all threads of OpenMP.
void multiply(const Kernels& table, Factors factors, const Gemm& product);

}  // namespace verbund
