// What the user sees while a command works: lines on stderr, and one progress bar at
// a time. Results go to stdout and never through here.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace verbund {

enum class LogLevel { kQuiet, kNormal };

void set_log_level(LogLevel level);

void log_line(const std::string& line);
void warn_line(const std::string& line);

template <typename... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  warn_line(fmt::format(format, std::forward<Args>(args)...));
}

// True if stderr is a terminal: bars are redrawn there, and are plain lines elsewhere.
bool on_terminal();

// Replaces the last line of the terminal; an empty line removes it.
void draw_status(const std::string& line);

}  // namespace verbund
