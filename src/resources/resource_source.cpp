// SPDX-License-Identifier: Apache-2.0
#include "resources/resource_source.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "resources/machine_text.h"
#include "resources/nvml.h"

namespace verbund {
namespace {

double seconds_in(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

std::optional<std::string> system_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return {};  // a sensor may exist and fail
  return text;
}

// Counters come from getrusage, which is exact and counts all threads; the context switches in /proc/self/status are
// those of the main thread alone.
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
    values[2] = seconds_in(usage.ru_utime);
    values[3] = seconds_in(usage.ru_stime);
    values[4] = static_cast<double>(usage.ru_minflt);
    values[5] = static_cast<double>(usage.ru_majflt);
    values[6] = static_cast<double>(usage.ru_nvcsw);
    values[7] = static_cast<double>(usage.ru_nivcsw);
  };
  return {{{{"process.memory_bytes", "bytes", "resident memory of the worker"}, kNow},
           {{"process.threads", "threads", "threads of the worker"}, kNow},
           {{"process.cpu_user", "cores", "CPU time of the worker in the program"}, kCounted},
           {{"process.cpu_system", "cores", "CPU time of the worker in the system"}, kCounted},
           {{"process.minor_faults", "1/s", "page faults without reading the disk"}, kCounted},
           {{"process.major_faults", "1/s", "page faults that read the disk"}, kCounted},
           {{"process.voluntary_switches", "1/s", "a thread of the worker waited"}, kCounted},
           {{"process.involuntary_switches", "1/s", "a thread of the worker was preempted"}, kCounted}},
          read};
}

std::vector<ResourceSource> resource_sources(bool host, const SystemFolders& folders) {
  std::vector<ResourceSource> sources;
  sources.push_back(process_source(folders));
  if (!host) return sources;
  sources.push_back(cpu_source(folders));
  sources.push_back(memory_source(folders));
  sources.push_back(pressure_source(folders));
  sources.push_back(load_source(folders));
  sources.push_back(temperature_source(folders));
  sources.push_back(frequency_source(folders));
  sources.push_back(interface_source(folders));
  sources.push_back(disk_source(folders));
  sources.push_back(gpu_source(Nvml::load()));
  return sources;
}

std::optional<std::vector<float>> Rates::row(double seconds, const std::vector<double>& reading) {
  const double passed = seconds - std::exchange(before_, seconds);
  const std::vector<double> last = std::exchange(last_, reading);
  if (last.empty()) return {};
  std::vector<float> values(reading.size(), std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < reading.size(); ++i) {
    if (kinds_[i] == ResourceSource::kNow) {
      values[i] = static_cast<float>(reading[i]);
    } else if (passed > 0 && reading[i] >= last[i]) {  // neither is NaN
      values[i] = static_cast<float>((reading[i] - last[i]) / passed);
    }
  }
  return values;
}

}  // namespace verbund
