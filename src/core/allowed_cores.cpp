#include "core/allowed_cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace verbund {

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) cores.push_back(i);
    }
    return cores;
  }
  const auto online = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));  // more cores than a cpu_set_t has
  for (int i = 0; i < online; ++i) cores.push_back(i);
  return cores;
}

}  // namespace verbund
