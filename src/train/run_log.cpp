// SPDX-License-Identifier: Apache-2.0
#include "train/run_log.h"

#include <sstream>

#include "core/columns.h"
#include "core/wall_clock.h"

namespace verbund {

RunLog::RunLog(const std::filesystem::path& folder)
    : text_(folder / "log.txt"), debug_lines_([this](const std::string& line) { note(line); }) {}

void RunLog::line(const std::string& text, Colour colour) {
  log_line(text, colour);
  note(text);
}

void RunLog::paragraph(const std::string& text) {
  const std::string rows = wrap_rows(text, kColumns);
  log_line(has_status_line() ? text : rows);  // at a terminal, the log wraps it, or launch does
  note(rows);
}

void RunLog::note(const std::string& text) {
  const std::string time = utc_time();
  std::istringstream lines(printable(text));
  for (std::string line; std::getline(lines, line);) {
    if (text_.add_line(time + "  " + line) || warned_.exchange(true)) continue;
    warn("cannot write to the run's log.txt (is the disk full?): training continues, but its log is lost");
  }
}

LiveStatus::~LiveStatus() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void LiveStatus::show(const Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  since_ = std::chrono::steady_clock::now();
  draw_status(status);
  if (!ticker_.joinable()) ticker_ = std::thread([this] { tick(); });
}

void LiveStatus::hide() {
  const std::lock_guard lock(mutex_);
  status_ = {};
  clear_status();
}

void LiveStatus::tick() {
  constexpr std::chrono::seconds kSecond(1);
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kSecond, [&] { return stop_; })) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - since_);
    if (status_.empty() || seconds < 2 * kSecond) continue;
    draw_status({status_.share, fmt::format("{}, {} s into the next step", status_.text, seconds.count())});
  }
}

}  // namespace verbund
