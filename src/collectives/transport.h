// SPDX-License-Identifier: Apache-2.0
// Transport sends bytes from worker to worker. All collectives are made of messages in flight, so a new transport
// (threads, MPI, another library) is one small class. PollBackoff and AdaptivePoll tell how long to pause between looks
// at them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "control/telemetry.h"

namespace verbund {

struct NamedMemory {
  std::string name;
  std::shared_ptr<std::byte> begin;
};

// For one thread only.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Starts a message, whose memory must not change until the message is done. `under_way` counts it until then.
  // Messages between two workers with the same tag keep their order, and both sides know their sizes.
  virtual void send(int to, int tag, std::span<const std::byte> data, int& under_way) = 0;
  virtual void receive(int from, int tag, std::span<std::byte> data, int& under_way) = 0;
  // Makes progress with all messages in flight. True if one is done.
  virtual bool progress() = 0;
  // Yields the processor for at most this long; returns early when a message arrives, where the transport can tell.
  virtual void pause(std::chrono::nanoseconds longest) = 0;

  // Workers with the same text are on one host and share memory.
  virtual std::string host() const = 0;
  // Shared memory of the workers of one host: one of them makes it, the others find it by its name (null if they
  // cannot), then every worker removes what names it has. It starts as zeros.
  virtual NamedMemory make_shared_memory(size_t bytes) = 0;
  virtual std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t bytes) = 0;
  virtual void unname_shared_memory() = 0;

  // Worker 0's receiver, if all workers are threads of one process; null otherwise.
  virtual std::shared_ptr<TelemetryReceiver> shared_receiver() const { return nullptr; }

  // Orderly shutdown. Collective: every worker must call it. Without it the destructor just ends this one.
  virtual void close() {}
};

// How long to sleep before looking again: not at all at first, then longer the longer nothing happens. MPI's own
// waiting would burn a core that the computation needs.
class PollBackoff {
 public:
  // Something has happened.
  void renew() { since_ = Clock::now(); }

  std::chrono::nanoseconds next() const {
    using std::chrono::microseconds;
    const std::chrono::nanoseconds waited = Clock::now() - since_;
    if (waited < microseconds(30)) return std::chrono::nanoseconds(0);
    return std::min<std::chrono::nanoseconds>(waited / 8, microseconds(200));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
};

// The same with many messages in flight: the network stays busy without anybody looking, and each look takes a moment
// of a core from the computation. So the pauses become longer until some messages are done in one of them, but never so
// long that the network may have become idle.
class AdaptivePoll {
 public:
  // `done` messages since the last pause, of `under_way`.
  std::chrono::nanoseconds next(size_t done, size_t under_way) {
    if (4 * done > under_way) {
      pause_ = std::max(pause_ / 2, kShortest);
    } else if (done <= 1) {
      pause_ = std::min(pause_ + pause_ / 2, kLongest);
    }
    return pause_ == kShortest ? std::chrono::nanoseconds(0) : pause_;
  }

 private:
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::microseconds(5);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::milliseconds(1);
  std::chrono::nanoseconds pause_ = kShortest;
};

}  // namespace verbund
