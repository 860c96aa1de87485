// The threads of matrix products and kernels: one pool for both.
#pragma once

#include <cstdint>

namespace verbund {

// 0: all cores. Returns how many there are.
int use_threads(int64_t threads);

}  // namespace verbund
