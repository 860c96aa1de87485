// SPDX-License-Identifier: Apache-2.0
#include "emulated/messages.h"

#include <unistd.h>

#include <mutex>

namespace emulated {
namespace {

std::mutex mutex;
constexpr size_t kMaxKept = 1 << 20;

std::string& kept() {
  static auto* text = new std::string;  // outlives what is destroyed at exit
  return *text;
}

}  // namespace

void say(const std::string& message) {
  const std::string line = "emulated GPU: " + message + "\n";
  const std::lock_guard lock(mutex);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  if (kept().size() < kMaxKept) kept() += line;
}

std::string take_messages() {
  const std::lock_guard lock(mutex);
  return std::exchange(kept(), {});
}

}  // namespace emulated
