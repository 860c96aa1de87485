// SPDX-License-Identifier: Apache-2.0
// ThreadWorld makes threads of one process behave as workers, on one host or on several.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/transport.h"
#include "core/error.h"

namespace verbund {

class AnotherWorkerFailed : public Error {
 public:
  using Error::Error;
};

class ThreadWorld {
 public:
  // All on one host.
  explicit ThreadWorld(int size) : ThreadWorld(std::vector<int>{size}) {}
  // So many on each host, as the workers see it.
  explicit ThreadWorld(const std::vector<int>& slots);

  int size() const { return static_cast<int>(hosts_.size()); }

  // For one thread; the world must outlive it.
  std::unique_ptr<Transport> transport(int rank);
  // One of the threads has failed: those that wait fail, too.
  void abandon();

 private:
  class End;
  using Bytes = std::vector<std::byte>;
  using Box = std::deque<Bytes>;

  std::vector<int> hosts_;  // by rank
  std::mutex mutex_;
  std::condition_variable changed_;
  bool abandoned_ = false;
  std::map<std::tuple<int, int, int>, Box> boxes_;  // by sender, receiver and tag
  std::map<std::string, std::shared_ptr<std::byte>> memory_;
  std::shared_ptr<TelemetryReceiver> receiver_ = std::make_shared<TelemetryReceiver>();
};

class ThreadWorld::End final : public Transport {
 public:
  End(ThreadWorld& world, int rank) : world_(world), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return world_.size(); }
  std::shared_ptr<TelemetryReceiver> shared_receiver() const override { return world_.receiver_; }

  void send(int to, int tag, std::span<const std::byte> data, int&) override {
    const std::lock_guard lock(world_.mutex_);
    world_.boxes_[{rank_, to, tag}].emplace_back(data.begin(), data.end());  // which completes it
    world_.changed_.notify_all();
  }

  void receive(int from, int tag, std::span<std::byte> data, int& under_way) override {
    ++under_way;
    waiting_.push_back({from, tag, data, &under_way});
  }

  bool progress() override {
    const std::lock_guard lock(world_.mutex_);
    const bool moved = std::erase_if(waiting_, [&](const Awaited& message) { return take(message); }) > 0;
    if (!moved && world_.abandoned_)
      throw AnotherWorkerFailed("another worker has failed");  // what it sent before is still good
    return moved;
  }

  void pause(std::chrono::nanoseconds longest) override {
    std::unique_lock lock(world_.mutex_);
    if (!world_.abandoned_) world_.changed_.wait_for(lock, longest);
  }

  std::string host() const override { return std::to_string(world_.hosts_[static_cast<size_t>(rank_)]); }

  NamedMemory make_shared_memory(size_t bytes) override {
    constexpr std::align_val_t kAligned{4096};
    auto* begin = static_cast<std::byte*>(::operator new(bytes, kAligned));
    std::memset(begin, 0, bytes);
    const std::lock_guard lock(world_.mutex_);
    made_ = std::to_string(rank_);
    world_.memory_[made_] = {begin, [](std::byte* memory) { ::operator delete(memory, kAligned); }};
    return {made_, world_.memory_[made_]};
  }
  std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t) override {
    const std::lock_guard lock(world_.mutex_);
    const auto found = world_.memory_.find(name);
    return found == world_.memory_.end() ? nullptr : found->second;
  }
  void unname_shared_memory() override {
    const std::lock_guard lock(world_.mutex_);
    world_.memory_.erase(made_);
  }

 private:
  struct Awaited {
    int from, tag;
    std::span<std::byte> data;
    int* under_way;
  };

  bool take(const Awaited& message) {
    Box& box = world_.boxes_[{message.from, rank_, message.tag}];
    if (box.empty()) return false;
    if (box.front().size() != message.data.size()) {
      fail("worker {} waits for {} bytes of worker {}, who sent {}", rank_, message.data.size(), message.from,
           box.front().size());
    }
    if (!message.data.empty()) std::memcpy(message.data.data(), box.front().data(), message.data.size());
    box.pop_front();
    --*message.under_way;
    return true;
  }

  ThreadWorld& world_;
  int rank_;
  std::string made_;  // the name of the shared memory that this worker has made
  std::vector<Awaited> waiting_;
};

inline ThreadWorld::ThreadWorld(const std::vector<int>& slots) {
  for (size_t host = 0; host < slots.size(); ++host) {
    hosts_.insert(hosts_.end(), static_cast<size_t>(slots[host]), static_cast<int>(host));
  }
}

inline std::unique_ptr<Transport> ThreadWorld::transport(int rank) { return std::make_unique<End>(*this, rank); }

inline void ThreadWorld::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace verbund
