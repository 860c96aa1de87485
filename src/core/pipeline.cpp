#include "core/pipeline.h"

#include <algorithm>

namespace verbund {

int thread_count(int64_t threads) {
  if (threads > 0) return static_cast<int>(threads);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace verbund
