// SPDX-License-Identifier: Apache-2.0
// MadePost is a worker's connection to the record without workers: it keeps what is sent, and its clock stands still
// until the test changes it.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "record/record_message.h"

namespace verbund {

class MadePost {
 public:
  explicit MadePost(int rank = 0, const std::string& host = "a", uint32_t start = 0) {
    post_.self.rank = rank;
    post_.self.host = host;
    post_.start = start;
    post_.now = [this] { return time.load(); };
    post_.clock = [this] {
      const std::lock_guard lock(mutex_);
      return clock_;
    };
    post_.send = [this](std::vector<std::byte> message) {
      const std::lock_guard lock(mutex_);
      sent_.push_back(std::move(message));
    };
  }

  const RecordPost& operator*() const { return post_; }

  std::vector<std::vector<std::byte>> sent() const {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  // Those of this kind, decoded.
  template <typename Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const auto& bytes : sent()) {
      const RecordMessage message = decode(bytes).value();
      if (const auto* one = std::get_if<Kind>(&message)) found.push_back(*one);
    }
    return found;
  }
  void set_clock(const ClockOffset& clock) {
    const std::lock_guard lock(mutex_);
    clock_ = clock;
  }

  std::atomic<double> time = 1.7e9;

 private:
  RecordPost post_;
  mutable std::mutex mutex_;
  std::vector<std::vector<std::byte>> sent_;
  ClockOffset clock_;
};

}  // namespace verbund
