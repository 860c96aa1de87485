// SPDX-License-Identifier: Apache-2.0
// The sources of the whole machine: processors, memory, pressure, load, temperature, clock frequency.
#include <unistd.h>

#include <algorithm>

#include "resources/machine_text.h"
#include "resources/resource_source.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;
using enum ResourceSource::Kind;

// Reading the clocks of all cores of a large machine takes time, and they hardly differ.
constexpr size_t kMaxSensors = 16;

// A column from a file that holds one number.
template <typename Parse>
void add_number(ResourceSource& source, std::vector<fs::path>& paths, const ResourceColumn& column, fs::path path,
                Parse parse) {
  const auto text = system_text(path);
  if (!text || !parse(*text)) return;
  source.columns.push_back({column, kNow});
  paths.push_back(std::move(path));
}

template <typename Parse>
std::function<void(std::span<double>)> read_numbers(std::vector<fs::path> paths, Parse parse) {
  return [paths = std::move(paths), parse](std::span<double> values) {
    for (size_t i = 0; i < paths.size(); ++i) {
      const auto text = system_text(paths[i]);
      if (const auto value = text ? parse(*text) : std::nullopt) values[i] = static_cast<double>(*value);
    }
  };
}

template <typename Parse>
ResourceSource number_source(const ResourceColumn& column, const fs::path& path, Parse parse) {
  ResourceSource source;
  std::vector<fs::path> paths;
  add_number(source, paths, column, path, parse);
  source.read = read_numbers(std::move(paths), parse);
  return source;
}

// Files like FOLDER/thermal_zone3/temp that hold a number now.
std::vector<fs::path> sensors(const fs::path& folder, const std::string& entry_begins, const std::string& file_begins,
                              const std::string& file_ends) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (!entry.path().filename().string().starts_with(entry_begins)) continue;
    for (const auto& file : fs::directory_iterator(entry.path(), none)) {
      const std::string name = file.path().filename();
      if (!name.starts_with(file_begins) || !name.ends_with(file_ends)) continue;
      if (const auto text = system_text(file.path()); text && parse_thousandths(*text)) found.push_back(file.path());
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMaxSensors) found.resize(kMaxSensors);
  return found;
}

std::vector<double> values_of(const std::vector<fs::path>& paths) {
  std::vector<double> values;
  for (const fs::path& path : paths) {
    const auto text = system_text(path);
    if (const auto value = text ? parse_thousandths(*text) : std::nullopt) values.push_back(*value);
  }
  return values;
}

}  // namespace

ResourceSource cpu_source(const SystemFolders& folders) {
  const fs::path path = folders.proc / "stat";
  const auto text = system_text(path);
  if (!text || !parse_cpu_ticks(*text)) return {};
  const auto read = [path, per_second = static_cast<double>(::sysconf(_SC_CLK_TCK))](std::span<double> values) {
    const auto now = system_text(path);
    const auto ticks = now ? parse_cpu_ticks(*now) : std::nullopt;
    if (!ticks) return;
    const uint64_t all[] = {ticks->user, ticks->system, ticks->iowait, ticks->steal, ticks->idle};
    for (size_t i = 0; i < std::size(all); ++i) values[i] = static_cast<double>(all[i]) / per_second;
  };
  return {{{{"host.cpu_user", "cores", "CPU time in programs"}, kCounted},
           {{"host.cpu_system", "cores", "CPU time in the system, with interrupts"}, kCounted},
           {{"host.cpu_iowait", "cores", "idle while a task waited for a disk"}, kCounted},
           {{"host.cpu_steal", "cores", "used by other virtual machines"}, kCounted},
           {{"host.cpu_idle", "cores", "idle"}, kCounted}},
          read};
}

ResourceSource memory_source(const SystemFolders& folders) {
  return number_source({"host.memory_available_bytes", "bytes", "available without swapping"}, folders.proc / "meminfo",
                       parse_available_memory);
}

ResourceSource pressure_source(const SystemFolders& folders) {
  ResourceSource source;
  std::vector<fs::path> paths;
  for (const char* what : {"cpu", "io", "memory"}) {
    add_number(source, paths,
               {std::string("host.pressure_") + what, "share",
                std::string("of the last 10 s in which a task waited for ") + what},
               folders.proc / "pressure" / what, parse_pressure);
  }
  source.read = read_numbers(std::move(paths), parse_pressure);
  return source;
}

ResourceSource load_source(const SystemFolders& folders) {
  return number_source({"host.load1", "threads", "running, ready or in uninterruptible sleep, mean of a minute"},
                       folders.proc / "loadavg", parse_load);
}

ResourceSource temperature_source(const SystemFolders& folders) {
  std::vector<fs::path> paths = sensors(folders.sys / "class/thermal", "thermal_zone", "temp", "temp");
  for (const fs::path& path : sensors(folders.sys / "class/hwmon", "hwmon", "temp", "_input")) paths.push_back(path);
  if (paths.empty()) return {};
  return {{{{"host.temperature_c", "degrees Celsius", "the hottest sensor"}, kNow}}, [paths](std::span<double> values) {
            const std::vector<double> all = values_of(paths);
            if (!all.empty()) values[0] = *std::max_element(all.begin(), all.end());
          }};
}

ResourceSource frequency_source(const SystemFolders& folders) {
  const std::vector<fs::path> paths =
      sensors(folders.sys / "devices/system/cpu/cpufreq", "policy", "scaling_cur_freq", "scaling_cur_freq");
  if (paths.empty()) return {};
  return {{{{"host.frequency_mhz", "MHz", "clock of the processors, mean over cores"}, kNow}},
          [paths](std::span<double> values) {
            const std::vector<double> all = values_of(paths);
            double sum = 0;
            for (const double value : all) sum += value;
            if (!all.empty()) values[0] = sum / static_cast<double>(all.size());
          }};
}

}  // namespace verbund
