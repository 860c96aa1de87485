#include "core/log.h"

#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <mutex>

#include "core/columns.h"

namespace verbund {
namespace {

constexpr const char* kWarning = "warning:";

std::atomic<LogLevel> level{LogLevel::kNormal};
std::atomic<bool> others_show_progress{false};
Terminal place;
std::mutex mutex;
Status status;     // what the terminal's last line shows
size_t drawn = 0;  // columns of it
std::atomic<bool> is_drawn{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

// The following are called with the mutex held.

void erase() {
  if (drawn == 0) return;
  std::fputs(erase_sequence(drawn, terminal_columns(STDERR_FILENO)).c_str(), stderr);
  drawn = 0;
}

void draw() {
  if (!status.empty()) {
    const std::string line = status_line(status, terminal_columns(STDERR_FILENO));
    std::fputs(line.c_str(), stderr);
    drawn = display_width(line);
  }
  is_drawn = drawn > 0;
  std::fflush(stderr);
}

void print(const std::string& line) {
  const std::lock_guard lock(mutex);
  erase();
  const bool fits_itself = place.status_line != StatusLine::kDrawn;  // a file, or whoever draws for us
  std::fputs(((fits_itself ? line : wrap_rows(line, terminal_columns(STDERR_FILENO))) + "\n").c_str(), stderr);
  if (place.status_line == StatusLine::kDrawn) draw();
}

}  // namespace

void set_log_level(LogLevel new_level) { level = new_level; }

void set_terminal(const Terminal& terminal) { place = terminal; }

const Terminal& terminal() { return place; }

void log_line(const std::string& line, Colour colour) {
  if (level != LogLevel::kQuiet) print(coloured(line, colour, place.colour));
}

void warn_line(const std::string& line) { print(coloured(kWarning, Colour::kYellow, place.colour) + " " + line); }

void print_line(const std::string& line) { print(line); }

void tell_launch(const LossRecord& loss) {
  if (place.takes_records) print(marked_record(loss));
}

void draw_status(const Status& new_status) {
  if (!shows_progress() || place.status_line == StatusLine::kNone) return;
  const std::lock_guard lock(mutex);
  if (new_status.empty() && status.empty()) return;
  status = new_status;
  if (place.status_line == StatusLine::kMarked) {
    std::fputs((marked_status(status) + "\n").c_str(), stderr);
    std::fflush(stderr);
    return;
  }
  erase();
  draw();
}

void leave_progress_to_others() {
  clear_status();
  others_show_progress = true;
}

bool shows_progress() { return level != LogLevel::kQuiet && !others_show_progress; }

void clear_status_at_once() {
  constexpr char kErase[] = "\r\033[K";
  if (is_drawn && ::write(STDERR_FILENO, kErase, sizeof kErase - 1) < 0) return;  // nobody is there to see it
}

}  // namespace verbund
