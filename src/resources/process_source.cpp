// What this worker's process uses. Counters come from getrusage, which is exact and counts all threads; the context
// switches in /proc/self/status are those of the main thread alone.
#include <sys/resource.h>
#include <unistd.h>

#include "resources/machine_text.h"
#include "resources/resource_source.h"

namespace verbund {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ResourceSource process_source(const SystemFolders& folders) {
  using enum ResourceSource::Kind;
  const auto read = [stat = folders.proc / "self/stat", page = ::sysconf(_SC_PAGESIZE)](std::span<double> values) {
    if (const auto text = system_text(stat)) {
      if (const auto process = parse_process_stat(*text)) {
        values[0] = static_cast<double>(process->resident_pages) * static_cast<double>(page);
        values[1] = static_cast<double>(process->threads);
      }
    }
    rusage usage = {};
    if (::getrusage(RUSAGE_SELF, &usage) != 0) return;
    values[2] = seconds(usage.ru_utime);
    values[3] = seconds(usage.ru_stime);
    values[4] = static_cast<double>(usage.ru_minflt);
    values[5] = static_cast<double>(usage.ru_majflt);
    values[6] = static_cast<double>(usage.ru_nvcsw);
    values[7] = static_cast<double>(usage.ru_nivcsw);
  };
  return {{{{"process.memory_bytes", "bytes", "resident memory of the worker"}, kNow},
           {{"process.threads", "threads", "threads of the worker"}, kNow},
           {{"process.cpu_user", "cores", "CPU time of the worker in the program"}, kCounted},
           {{"process.cpu_system", "cores", "CPU time of the worker in the system"}, kCounted},
           {{"process.minor_faults", "1/s", "pages that came without reading the disk"}, kCounted},
           {{"process.major_faults", "1/s", "pages that were read from the disk"}, kCounted},
           {{"process.voluntary_switches", "1/s", "a thread of the worker waited"}, kCounted},
           {{"process.involuntary_switches", "1/s", "a thread of the worker had to make room"}, kCounted}},
          read};
}

}  // namespace verbund
