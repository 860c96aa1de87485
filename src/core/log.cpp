#include "core/log.h"

#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <mutex>

namespace verbund {
namespace {

std::atomic<LogLevel> level{LogLevel::kNormal};
std::mutex mutex;
std::string status;  // what the terminal's last line shows, "" if nothing

constexpr const char* kEraseLine = "\r\033[K";

void print(const std::string& line) {
  const std::lock_guard lock(mutex);
  if (!status.empty()) std::fputs(kEraseLine, stderr);
  std::fputs((line + "\n").c_str(), stderr);
  if (!status.empty()) std::fputs(status.c_str(), stderr);
}

}  // namespace

void set_log_level(LogLevel new_level) { level = new_level; }

void log_line(const std::string& line) {
  if (level != LogLevel::kQuiet) print(line);
}

void warn_line(const std::string& line) { print("warning: " + line); }

bool on_terminal() {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  return terminal;
}

void draw_status(const std::string& line) {
  if (level == LogLevel::kQuiet) return;
  const std::lock_guard lock(mutex);
  if (line.empty() && status.empty()) return;
  std::fputs((kEraseLine + line).c_str(), stderr);
  std::fflush(stderr);
  status = line;
}

}  // namespace verbund
