// The BLAS libraries that this machine happens to have, loaded by name when a benchmark wants
// to know what the fastest of them takes for a product.
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

// Verbund's own products first, then those that are found.
std::vector<Blas> blas_libraries();

}  // namespace verbund
