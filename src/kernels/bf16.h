// Whether and how products are computed from factors rounded to bfloat16.
#pragma once

namespace verbund {

// Does this processor multiply pairs of bfloat16 (AVX512-BF16)?
bool has_bf16_products();

// From now on all products of the process round their factors; sums stay in float. Only if the
// processor has it.
void use_bf16_products(bool use);
bool uses_bf16_products();

}  // namespace verbund
