#include "core/progress.h"

#include <algorithm>
#include <utility>

#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr auto kTerminalInterval = std::chrono::milliseconds(100);
constexpr auto kLogInterval = std::chrono::seconds(10);

std::string amount(uint64_t value, const std::string& unit) {
  return unit == "bytes" ? human_bytes(value) : human_count(value) + " " + unit;
}

}  // namespace

std::string bar(double share) {
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  return fmt::format("[{:█<{}}{:·<{}}]", "", filled, "", kWidth - filled);
}

Progress::Progress(std::string stage, uint64_t total, std::string unit)
    : stage_(std::move(stage)),
      total_(total),
      unit_(std::move(unit)),
      start_(Clock::now()),
      next_draw_(start_ + (on_terminal() ? Clock::duration::zero() : kLogInterval)) {}

Progress::~Progress() { draw_status(""); }

void Progress::update(uint64_t done) {
  check_interrupt();
  if (!std::exchange(started_, true)) first_ = done;
  const auto now = Clock::now();
  if (now < next_draw_) return;
  if (on_terminal()) {
    next_draw_ = now + kTerminalInterval;
    draw_status(line(done, now));
  } else {
    next_draw_ = now + kLogInterval;
    log_line(line(done, now));
  }
}

std::string Progress::line(uint64_t done, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - std::min(first_, done)) / seconds : 0;
  std::string text = fmt::format("{:<10}", stage_);
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    if (on_terminal()) {
      text += bar(share) + " ";
    }
    text += fmt::format("{:3.0f} %  {} of {}", share * 100, amount(done, unit_), amount(total_, unit_));
  } else {
    text += amount(done, unit_);
  }
  if (rate > 0) {
    text += fmt::format("  {}/s", amount(static_cast<uint64_t>(rate), unit_));
    if (total_ > done) {
      text += fmt::format("  {} left", human_duration(static_cast<double>(total_ - done) / rate));
    }
  }
  return text;
}

}  // namespace verbund
