// SPDX-License-Identifier: Apache-2.0
#include "emulated/counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "emulated/kernel.h"
#include "emulated/messages.h"
#include "emulated/settings.h"

namespace emulated {
namespace {

struct Totals {
  Counts counts;
  double seconds = 0;  // of the emulation
};

std::mutex mutex;

auto& totals() {
  static auto* result = new std::map<std::string, Totals>;
  return *result;
}

void write_file() {
  std::string path = settings().counters;
  if (path.empty()) return;
  if (const size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    say("counters cannot be written to {}", path);
    return;
  }
  std::fputs(counters_as_json().c_str(), file);
  std::fclose(file);
}

[[maybe_unused]] const int at_exit = std::atexit(write_file);

}  // namespace

void count(const std::string& name, const Counts& counts) {
  const std::lock_guard lock(mutex);
  Counts& sum = totals()[name].counts;
  sum.launches += counts.launches;
  sum.blocks += counts.blocks;
  sum.threads += counts.threads;
  sum.operations += counts.operations;
  sum.bytes_read += counts.bytes_read;
  sum.bytes_written += counts.bytes_written;
  sum.distinct_read += counts.distinct_read;
  sum.distinct_written += counts.distinct_written;
  sum.shared_read += counts.shared_read;
  sum.shared_written += counts.shared_written;
  sum.shared_bytes = std::max(sum.shared_bytes, counts.shared_bytes);
}

void count_time(const std::string& name, std::chrono::steady_clock::duration time) {
  const std::lock_guard lock(mutex);
  totals()[name].seconds += std::chrono::duration<double>(time).count();
}

std::string counters_as_json() {
  const std::lock_guard lock(mutex);
  std::string text = fmt::format("{{\"checked\": {}, \"work\": {{", kChecked);
  const char* separator = "\n";
  for (const auto& [name, total] : totals()) {
    const Counts& c = total.counts;
    text += fmt::format(
        "{}  \"{}\": {{\"launches\": {}, \"blocks\": {}, \"threads\": {}, \"operations\": {}, \"bytes_read\": {}, "
        "\"bytes_written\": {}, \"distinct_read\": {}, \"distinct_written\": {}, \"shared_read\": {}, "
        "\"shared_written\": {}, \"shared_bytes\": {}, \"seconds\": {:.6f}}}",
        std::exchange(separator, ",\n"), name, c.launches, c.blocks, c.threads, c.operations, c.bytes_read,
        c.bytes_written, c.distinct_read, c.distinct_written, c.shared_read, c.shared_written, c.shared_bytes,
        total.seconds);
  }
  return text + "\n}}\n";
}

void reset_counters() {
  const std::lock_guard lock(mutex);
  totals().clear();
}

}  // namespace emulated
