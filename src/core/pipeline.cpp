#include "core/pipeline.h"

#include "core/allowed_cores.h"

namespace verbund {

int thread_count(int64_t threads) {
  if (threads > 0) return static_cast<int>(threads);
  return static_cast<int>(allowed_cores().size());
}

}  // namespace verbund
