// The status line while training: a step may take a minute, in which only the time that it has taken so far moves.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/status.h"

namespace verbund {

class LiveStatus {
 public:
  LiveStatus() = default;
  ~LiveStatus();
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;

  // A step has ended.
  void show(const Status& status);
  // Something else has the line.
  void hide();

 private:
  void tick();

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  Status status_;  // empty: hidden
  std::chrono::steady_clock::time_point since_;
  std::thread ticker_;  // from the first status on
};

}  // namespace verbund
