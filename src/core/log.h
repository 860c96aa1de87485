// What the user sees while a command works: lines on stderr, and one status line at a time, which makes room for
// everything else that is printed. Results go to stdout, by core/output.h.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/loss_record.h"
#include "core/status.h"
#include "core/terminal.h"

namespace verbund {

enum class LogLevel { kQuiet, kNormal };

void set_log_level(LogLevel level);

// Called once, by main; plain lines without it.
void set_terminal(const Terminal& terminal);
const Terminal& terminal();

void log_line(const std::string& line, Colour colour = Colour::kNone);
void warn_line(const std::string& line);
// Even if the user wants it quiet: errors, and what other processes say.
void print_line(const std::string& line);

template <typename... Args>
void log(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  warn_line(fmt::format(format, std::forward<Args>(args)...));
}

// A record for launch; nothing happens where it does not read.
void tell_launch(const LossRecord& loss);

// True if there is a status line. If not, a plain line now and then shows life.
inline bool has_status_line() { return terminal().status_line != StatusLine::kNone; }

// Replaces the status line, cut to what the terminal's width is now. An empty one removes it.
void draw_status(const Status& status);
inline void clear_status() { draw_status({}); }

// Worker 0 alone shows progress: this process shows none, neither status nor lines.
void leave_progress_to_others();
bool shows_progress();

// For a signal handler that ends the process: leaves the terminal on a fresh line.
void clear_status_at_once();

}  // namespace verbund
