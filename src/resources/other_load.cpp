// SPDX-License-Identifier: Apache-2.0
#include "resources/other_load.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "core/elapsed.h"
#include "resources/machine_text.h"
#include "resources/resource_source.h"

namespace verbund {
namespace {

constexpr std::chrono::milliseconds kEnough(333);  // the counters of /proc/stat have steps of 10 ms
constexpr double kNoticed = 0.1;                   // share of the threads' cores
constexpr double kNoise = 0.25;                    // cores that the system itself may use

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

OtherLoad::OtherLoad(std::vector<int> cores, std::filesystem::path proc)
    : cores_(std::move(cores)),
      proc_(std::move(proc)),
      began_(std::chrono::steady_clock::now()),
      busy_(busy_seconds()),
      own_(own_cpu_seconds()) {}

double OtherLoad::busy_seconds() const {
  const std::string text = system_text(proc_ / "stat").value_or("");
  uint64_t sum = 0;
  for (const int core : cores_) {
    const auto ticks = parse_cpu_ticks(text, core);
    if (!ticks) return std::numeric_limits<double>::quiet_NaN();
    sum += ticks->user + ticks->system + ticks->steal;
  }
  return static_cast<double>(sum) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double OtherLoad::cores_used() const {
  std::this_thread::sleep_until(began_ + kEnough);
  const double seconds = seconds_since(began_);
  const double others = (busy_seconds() - busy_) - (own_cpu_seconds() - own_);
  if (std::isnan(others)) return 0;
  return std::clamp(others / seconds, 0.0, static_cast<double>(cores_.size()));
}

bool is_crowded(double threads, double cores, double used_by_others) {
  return std::min(threads, cores) + used_by_others - cores > std::max(kNoise, kNoticed * threads);
}

double load_average(const std::filesystem::path& proc) {
  const auto text = system_text(proc / "loadavg");
  return (text ? parse_load(*text) : std::nullopt).value_or(-1);
}

std::string other_load_text(const char* use, double used_by_others, size_t cores, double load) {
  return fmt::format("other programs {} {:.1f} of {} cores{}", use, used_by_others, cores,
                     load < 0 ? "" : fmt::format(" (load average {:.1f})", load));
}

}  // namespace verbund
