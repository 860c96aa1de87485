// SPDX-License-Identifier: Apache-2.0
// A training step on a chosen device, and an emulated GPU's counters of it.
//
//   bench_step --device cpu|cuda|emulated [--precision fp32|tf32|bf16|fp16] [--sentences N] [--steps N]
//              [--layers N] [--vocabulary N] [--counters FILE] [tiny|small|base|big ...]
//
// --sentences: so many, of lengths that are spread evenly and repeat after 4; --layers and --vocabulary make the model
// smaller, for counting.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// Prints the time and tokens a second of each model; false: one of them does not train. --counters writes what the
// emulated GPU has counted of one step of the last model, with the batch it belongs to, as JSON.
bool bench_on_device(const std::vector<std::string>& arguments);

}  // namespace verbund
