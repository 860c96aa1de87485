// SPDX-License-Identifier: Apache-2.0
#include "core/progress.h"

#include <algorithm>
#include <utility>

#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"

namespace verbund {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDrawnInterval(100), kMarkedInterval(250), kLogInterval(10000);

std::string amount(uint64_t value, const std::string& unit) {
  return unit == "bytes" ? human_bytes(value) : human_count(value);
}

}  // namespace

milliseconds progress_interval() {
  switch (terminal().status_line) {
    case StatusLine::kDrawn:
      return kDrawnInterval;
    case StatusLine::kMarked:
      return kMarkedInterval;
    default:
      return kLogInterval;
  }
}

Status progress_status(const std::string& stage, const std::string& unit, uint64_t done, uint64_t total, uint64_t begun,
                       double seconds) {
  Status status;
  const std::string counted = unit == "bytes" ? "" : " " + unit;
  status.text = stage + " " + amount(done, unit) + (total > 0 ? " of " + amount(total, unit) : "") + counted;
  if (total > 0) status.share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double rate = seconds > 0 ? static_cast<double>(done - std::min(begun, done)) / seconds : 0;
  if (rate <= 0) return status;
  if (rate >= 1) status.text += fmt::format(", {}/s", amount(static_cast<uint64_t>(rate), unit));
  if (total > done) status.text += ", " + human_time_left(static_cast<double>(total - done) / rate);
  return status;
}

Progress::Progress(std::string stage, uint64_t total, std::string unit)
    : stage_(std::move(stage)),
      total_(total),
      unit_(std::move(unit)),
      start_(Clock::now()),
      next_draw_(start_ + (has_status_line() ? Clock::duration::zero() : progress_interval())) {}

Progress::~Progress() { clear_status(); }

void Progress::update(uint64_t done) {
  check_interrupt();
  if (!std::exchange(started_, true)) first_ = done;
  done_ = done;
  const auto now = Clock::now();
  if (!is_due(now)) return;
  show(progress_status(stage_, unit_, done, total_, first_, std::chrono::duration<double>(now - start_).count()));
}

void Progress::waiting(const std::string& what) {
  check_interrupt();
  const auto now = Clock::now();
  if (!is_due(now)) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  show({-1, fmt::format("{}: {}, {}", stage_, what, human_duration(seconds))});
}

bool Progress::is_due(Clock::time_point now) {
  if (now < next_draw_) return false;
  next_draw_ = now + progress_interval();
  return true;
}

void Progress::show(const Status& status) const {
  if (!shows_progress()) return;
  if (has_status_line()) {
    draw_status(status);
  } else {
    log_line(status.share < 0 ? status.text : fmt::format("{} ({:.0f} %)", status.text, 100 * status.share));
  }
}

}  // namespace verbund
