// SPDX-License-Identifier: Apache-2.0
// The log shows what a command does: lines on stderr, and one status line, which makes room for everything else that is
// printed. Results go to stdout (core/output.h).
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>

#include "core/status.h"
#include "core/terminal.h"

namespace verbund {

// The least important lines that are shown. kWarning is --quiet: there is no progress either.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

// VERBUND_LOG_LEVEL sets the level of this process and of the workers it starts; --log-level overrides it.
constexpr const char* kLogLevelVariable = "VERBUND_LOG_LEVEL";

// "debug", "info", "warning", "error". Refuses any other name; `where` is the flag or variable that has it.
LogLevel log_level_named(std::string_view name, std::string_view where);

void set_log_level(LogLevel level);
LogLevel log_level();

// Called once, by main; plain lines without it.
void set_terminal(const Terminal& terminal);
const Terminal& terminal();

void debug_line(const std::string& line);
void log_line(const std::string& line, Colour colour = Colour::kNone);
void warn_line(const std::string& line);
// Prints at every log level: errors, and the output of other processes.
void print_line(const std::string& line);

// The formatting itself is compiled once, in log.cpp, and done only for lines that are shown.
void format_debug_line(fmt::string_view format, fmt::format_args args);
void format_log_line(fmt::string_view format, fmt::format_args args);
void format_warning(fmt::string_view format, fmt::format_args args);

// Decisions and their reasons: "checkpoint step-00001000: chosen, the newest of 3".
template <typename... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  format_debug_line(format, fmt::make_format_args(args...));
}

template <typename... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  format_log_line(format, fmt::make_format_args(args...));
}

template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  format_warning(format, fmt::make_format_args(args...));
}

// DebugCopy also hands every debug line that is shown to `write`, while it lives: a run's log.txt has them, too.
class DebugCopy {
 public:
  explicit DebugCopy(std::function<void(const std::string&)> write);
  ~DebugCopy();
  DebugCopy(const DebugCopy&) = delete;
  DebugCopy& operator=(const DebugCopy&) = delete;
};

// Writes a record for launch, if launch reads the output of this process.
void tell_launch(const WorkerRecord& record);

// Without a status line, a plain line every few seconds shows progress.
inline bool has_status_line() { return terminal().status_line != StatusLine::kNone; }

// Replaces the status line, cut to the present width of the terminal. An empty one removes it.
void draw_status(const Status& status);
inline void clear_status() { draw_status({}); }

// Worker 0 alone shows progress: this process shows none, neither status nor lines.
void leave_progress_to_others();
bool shows_progress();

// For a signal handler that ends the process: leaves the terminal on a fresh line.
void clear_status_at_once();

}  // namespace verbund
