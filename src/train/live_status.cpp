#include "train/live_status.h"

#include "core/log.h"

namespace verbund {

using Clock = std::chrono::steady_clock;

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
  since_ = Clock::now();
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
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since_);
    if (status_.empty() || seconds < 2 * kSecond) continue;
    draw_status({status_.share, fmt::format("{}, {} s into the next step", status_.text, seconds.count())});
  }
}

}  // namespace verbund
