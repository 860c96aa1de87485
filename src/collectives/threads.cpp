#include "collectives/threads.h"

#include <omp.h>

#include "core/log.h"
#include "core/pipeline.h"

namespace verbund {

int use_threads(int64_t threads) {
  const int count = thread_count(threads);
  debug("threads: {}, {}", count, threads > 0 ? "as set" : "one for each core that this process may use");
  omp_set_num_threads(count);
  return count;
}

int use_threads(const Workers& workers, int64_t threads) {
  return use_threads(threads > 0 ? threads : workers.self().fair_threads());
}

}  // namespace verbund
