// SPDX-License-Identifier: Apache-2.0
// The BLAS libraries of this machine, loaded by name, so that benchmarks can compare with the fastest GEMM of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace verbund {

struct Blas {
  std::string name;
  std::function<void(const Gemm&)> multiply;
};

// Verbund's own GEMM first, then those that are found.
std::vector<Blas> blas_libraries();

}  // namespace verbund
