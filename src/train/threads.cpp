#include "train/threads.h"

#include <omp.h>

#include "core/pipeline.h"

namespace verbund {

int use_threads(int64_t threads) {
  const int count = thread_count(threads);
  omp_set_num_threads(count);
  return count;
}

}  // namespace verbund
