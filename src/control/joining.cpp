// SPDX-License-Identifier: Apache-2.0
#include "control/joining.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <thread>

#include "core/elapsed.h"

namespace verbund {
namespace {

constexpr size_t kMaxStrangers = 128;  // callers that have not said hello
constexpr std::chrono::milliseconds kPause{100};

// A heartbeat fits into the buffer of a new connection.
bool send_whole(const Socket& socket, const Heartbeat& heartbeat) {
  return socket.send(std::as_bytes(std::span(&heartbeat, 1))) == sizeof heartbeat;
}

// A new connection, and the part of the other side's hello that has arrived.
class Caller {
 public:
  Caller() = default;
  Caller(Socket socket, double seconds) : socket_(std::move(socket)), deadline_(monotonic_seconds() + seconds) {}

  const Socket& socket() const { return socket_; }
  const Heartbeat& hello() const { return hello_; }
  bool is_late() const { return monotonic_seconds() >= deadline_; }
  bool has_said_hello() const { return received_ == sizeof hello_; }

  // Reads what has arrived. False if the other side is gone, or a stranger by its first bytes.
  bool hear(uint64_t run) {
    static_assert(offsetof(Heartbeat, run) == 0);
    while (!has_said_hello()) {
      const int more = socket_.receive(std::as_writable_bytes(std::span(&hello_, 1)).subspan(received_));
      if (more < 0) return false;
      if (more == 0) break;
      received_ += static_cast<size_t>(more);
    }
    return received_ < sizeof hello_.run || hello_.run == run;
  }

  void await_another_hello() { received_ = 0; }
  Socket release() { return std::move(socket_); }

 private:
  Socket socket_;
  double deadline_ = 0;
  Heartbeat hello_;
  size_t received_ = 0;
};

class Reception {
 public:
  Reception(std::span<const Socket> listening, std::span<const size_t> ranks, const Heartbeat& hello, double patience)
      : listening_(listening),
        ranks_(ranks),
        own_hello_(hello),
        patience_(patience),
        greeted_(ranks.size()),
        joined_(ranks.size()) {}

  // Listens to all callers for a moment. False when all children have joined.
  bool listen() {
    if (std::all_of(joined_.begin(), joined_.end(), [](const Socket& socket) { return socket.is_open(); })) {
      return false;
    }
    wait_for_any();
    admit_all();
    for (auto caller = strangers_.begin(); caller != strangers_.end();) {
      caller = is_settled(*caller) ? strangers_.erase(caller) : caller + 1;
    }
    for (size_t i = 0; i < greeted_.size(); ++i) confirm(i);
    return true;
  }

  std::vector<Socket> take_joined() { return std::move(joined_); }

 private:
  void wait_for_any() const {
    std::vector<pollfd> waiting;
    const auto add = [&](const Socket& socket) { waiting.push_back({socket.descriptor(), POLLIN, 0}); };
    for (const Socket& listening : listening_) add(listening);
    for (const Caller& caller : strangers_) add(caller.socket());
    for (const Caller& caller : greeted_) add(caller.socket());  // poll ignores those that are not open (-1)
    poll(waiting.data(), waiting.size(), static_cast<int>(kPause.count()));
  }

  // At most as many in one round as there is room for: so every admitted caller is read once before it makes way. A
  // worker's hello has usually arrived by then, however many strangers connect.
  void admit_all() {
    const size_t turns = std::max<size_t>(1, kMaxStrangers / listening_.size());
    for (const Socket& listening : listening_) {
      for (size_t i = 0; i < turns && admit(listening); ++i) {
      }
    }
  }

  bool admit(const Socket& listening) {
    Socket socket = accept_one(listening);
    if (!socket.is_open()) return false;
    if (strangers_.size() == kMaxStrangers) strangers_.pop_front();
    strangers_.emplace_back(std::move(socket), patience_);
    return true;
  }

  // True if the caller has been identified as a child, or is to be closed.
  bool is_settled(Caller& caller) {
    if (!caller.hear(own_hello_.run) || caller.is_late()) return true;
    if (!caller.has_said_hello()) return false;
    const auto rank = static_cast<size_t>(caller.hello().rank);  // a negative one is too large
    const auto expected = std::find(ranks_.begin(), ranks_.end(), rank);
    if (expected == ranks_.end() || caller.hello().attached != 0) return true;
    if (!send_whole(caller.socket(), own_hello_)) return true;
    caller.await_another_hello();
    // One that connects again has given up its earlier connection.
    greeted_[static_cast<size_t>(expected - ranks_.begin())] = std::move(caller);
    return true;
  }

  void confirm(size_t i) {
    Caller& caller = greeted_[i];
    if (!caller.socket().is_open()) return;
    const bool is_there = caller.hear(own_hello_.run);
    if (is_there && !caller.has_said_hello()) return;
    if (is_there) joined_[i] = caller.release();
    caller = Caller();
  }

  const std::span<const Socket> listening_;
  const std::span<const size_t> ranks_;
  const Heartbeat own_hello_;
  const double patience_;
  std::deque<Caller> strangers_;  // the oldest first
  std::vector<Caller> greeted_;   // in the order of ranks_
  std::vector<Socket> joined_;
};

}  // namespace

std::vector<Socket> await_children(std::span<const Socket> listening, std::span<const size_t> ranks,
                                   const Heartbeat& hello, const JoiningLimits& limits) {
  Reception reception(listening, ranks, hello, limits.hello);
  for (const double end = monotonic_seconds() + limits.together; monotonic_seconds() < end && reception.listen();) {
  }
  return reception.take_joined();
}

Socket call_parent(std::span<const Endpoint> endpoints, const Heartbeat& hello, const JoiningLimits& limits) {
  for (const double end = monotonic_seconds() + limits.together; monotonic_seconds() < end;
       std::this_thread::sleep_for(kPause)) {
    for (const Endpoint& endpoint : endpoints) {
      Caller parent(connect_to(endpoint, limits.address), limits.address + limits.hello);
      if (!parent.socket().is_open() || !send_whole(parent.socket(), hello)) continue;
      while (parent.hear(hello.run) && !parent.is_late()) {
        if (parent.has_said_hello() && send_whole(parent.socket(), hello)) return parent.release();
        is_readable(parent.socket(), 0.05);
      }
    }
  }
  return Socket();
}

}  // namespace verbund
