// SPDX-License-Identifier: Apache-2.0
#include "core/log.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/columns.h"
#include "core/error.h"
#include "core/output.h"

namespace verbund {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};  // as in LogLevel

std::atomic<LogLevel> level{LogLevel::kInfo};
std::atomic<bool> others_show_progress{false};
Terminal place;
std::mutex mutex;
Status status;     // the terminal's last line
size_t drawn = 0;  // columns of it
std::mutex copy_mutex;
std::function<void(const std::string&)> copy_debug_line;
std::atomic<bool> is_drawn{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

// The following are called with the mutex held.

// The characters that remove the status line, and those that draw it.
std::string erased() {
  return drawn == 0 ? "" : erase_sequence(std::exchange(drawn, 0), terminal_columns(STDERR_FILENO));
}

std::string redrawn() {
  std::string line = status.empty() ? "" : status_line(status, terminal_columns(STDERR_FILENO));
  drawn = display_width(line);
  is_drawn = drawn > 0;
  return line;
}

void print(const std::string& line) {
  const std::lock_guard lock(mutex);
  if (place.status_line != StatusLine::kDrawn) return write_or_drop(STDERR_FILENO, line + "\n");  // a file, or launch
  std::string text = erased();
  text += wrap_rows(line, terminal_columns(STDERR_FILENO)) + "\n";
  text += redrawn();
  write_or_drop(STDERR_FILENO, text);
}

}  // namespace

LogLevel log_level_named(std::string_view name, std::string_view where) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (name == kLevelNames[i]) return static_cast<LogLevel>(i);
  }
  fail_usage("{} {}: the levels are {}", where, name, fmt::join(kLevelNames, ", "));
}

void set_log_level(LogLevel new_level) { level = new_level; }

LogLevel log_level() { return level; }

void set_terminal(const Terminal& terminal) { place = terminal; }

const Terminal& terminal() { return place; }

void debug_line(const std::string& line) {
  if (level > LogLevel::kDebug) return;
  const std::string shown = "debug: " + printable(line);
  print(shown);
  const std::lock_guard lock(copy_mutex);
  if (copy_debug_line) copy_debug_line(shown);
}

void log_line(const std::string& line, Colour colour) {
  if (level <= LogLevel::kInfo) print(coloured(printable(line), colour, place.colour));
}

void warn_line(const std::string& line) {
  if (level <= LogLevel::kWarning) print(coloured("warning:", Colour::kYellow, place.colour) + " " + printable(line));
}

void print_line(const std::string& line) { print(printable_with_colours(line)); }

void format_debug_line(fmt::string_view format, fmt::format_args args) {
  if (level <= LogLevel::kDebug) debug_line(fmt::vformat(format, args));
}

void format_log_line(fmt::string_view format, fmt::format_args args) {
  if (level <= LogLevel::kInfo) log_line(fmt::vformat(format, args));
}

void format_warning(fmt::string_view format, fmt::format_args args) {
  if (level <= LogLevel::kWarning) warn_line(fmt::vformat(format, args));
}

DebugCopy::DebugCopy(std::function<void(const std::string&)> write) {
  const std::lock_guard lock(copy_mutex);
  copy_debug_line = std::move(write);
}

DebugCopy::~DebugCopy() {
  const std::lock_guard lock(copy_mutex);
  copy_debug_line = nullptr;
}

void tell_launch(const WorkerRecord& record) {
  if (place.takes_records) print(marked_record(record));
}

void draw_status(const Status& new_status) {
  if (!shows_progress() || place.status_line == StatusLine::kNone) return;
  const std::lock_guard lock(mutex);
  if (new_status.empty() && status.empty()) return;
  status = new_status;
  if (place.status_line == StatusLine::kMarked) {
    return write_or_drop(STDERR_FILENO, marked_status(status) + "\n");
  }
  std::string text = erased();
  text += redrawn();
  write_or_drop(STDERR_FILENO, text);
}

void leave_progress_to_others() {
  clear_status();
  others_show_progress = true;
}

bool shows_progress() { return level <= LogLevel::kInfo && !others_show_progress; }

void clear_status_at_once() {
  constexpr char kErase[] = "\r\033[K";
  if (is_drawn && ::write(STDERR_FILENO, kErase, sizeof kErase - 1) < 0) return;  // the terminal is gone
}

}  // namespace verbund
