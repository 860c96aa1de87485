#include "core/process.h"

#include <malloc.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

namespace verbund {

uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;  // given in kB
  }
  return 0;
}

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // see proc(5); without it, the peak stays the whole run's
}

uint64_t peak_memory_of_children() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace verbund
