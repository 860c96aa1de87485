#include "collectives/threads.h"

#include <omp.h>

#include "core/pipeline.h"

namespace verbund {

int use_threads(int64_t threads) {
  const int count = thread_count(threads);
  omp_set_num_threads(count);
  return count;
}

int use_threads(const Workers& workers, int64_t threads) {
  return use_threads(threads > 0 ? threads : workers.self().fair_threads());
}

}  // namespace verbund
