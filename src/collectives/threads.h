// The threads of matrix products and kernels: one pool for both.
#pragma once

#include <cstdint>

#include "collectives/workers.h"

namespace verbund {

// 0: all cores. Returns how many there are.
int use_threads(int64_t threads);
// 0: a fair share of the host for each of its workers.
int use_threads(const Workers& workers, int64_t threads);

}  // namespace verbund
