// Threads of one process as workers: for tests, and wherever processes are not worth it.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>
#include <vector>

#include "collectives/transport.h"

namespace verbund {

// What the threads share.
class ThreadWorld {
 public:
  // All of them on one host.
  explicit ThreadWorld(int size) : ThreadWorld(std::vector<int>{size}) {}
  // On several, as the workers behave: so many on each.
  explicit ThreadWorld(const std::vector<int>& slots);

  int size() const { return static_cast<int>(hosts_.size()); }

  // Of one thread; the world must outlive it.
  std::unique_ptr<Transport> transport(int rank);
  // One of the threads cannot go on: whoever waits fails.
  void abandon();

 private:
  class End;
  using Bytes = std::vector<std::byte>;
  using Box = std::deque<Bytes>;

  std::vector<int> hosts_;  // by rank
  std::mutex mutex_;
  std::condition_variable changed_;
  bool abandoned_ = false;
  std::map<std::tuple<int, int, int>, Box> boxes_;  // by sender, handler and tag
  std::map<std::string, std::shared_ptr<std::byte>> memory_;
  std::shared_ptr<TelemetryReceiver> receiver_ = std::make_shared<TelemetryReceiver>();
};

}  // namespace verbund
