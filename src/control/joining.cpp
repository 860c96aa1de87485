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

constexpr size_t kMostStrangers = 128;  // callers that have not said hello
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
  Reception(std::span<const Socket> listening, size_t workers, const Heartbeat& hello, double patience)
      : listening_(listening), own_hello_(hello), patience_(patience), greeted_(workers), joined_(workers) {}

  // Listens to all callers for a moment. False when all workers have joined.
  bool listen() {
    if (std::all_of(joined_.begin() + 1, joined_.end(), [](const Socket& socket) { return socket.is_open(); })) {
      return false;
    }
    wait_for_any();
    admit_all();
    for (auto caller = strangers_.begin(); caller != strangers_.end();) {
      caller = is_settled(*caller) ? strangers_.erase(caller) : caller + 1;
    }
    for (size_t rank = 1; rank < greeted_.size(); ++rank) confirm(rank);
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
    const size_t turns = std::max<size_t>(1, kMostStrangers / listening_.size());
    for (const Socket& listening : listening_) {
      for (size_t i = 0; i < turns && admit(listening); ++i) {
      }
    }
  }

  bool admit(const Socket& listening) {
    Socket socket = accept_one(listening);
    if (!socket.is_open()) return false;
    if (strangers_.size() == kMostStrangers) strangers_.pop_front();
    strangers_.emplace_back(std::move(socket), patience_);
    return true;
  }

  // True if the caller has been identified as a worker, or is to be closed.
  bool is_settled(Caller& caller) {
    if (!caller.hear(own_hello_.run) || caller.is_late()) return true;
    if (!caller.has_said_hello()) return false;
    const auto rank = static_cast<size_t>(caller.hello().rank);  // a negative one is too large
    if (rank == 0 || rank >= greeted_.size() || caller.hello().attached != 0) return true;
    if (!send_whole(caller.socket(), own_hello_)) return true;
    caller.await_another_hello();
    greeted_[rank] = std::move(caller);  // a worker that connects again has given up its earlier connection
    return true;
  }

  void confirm(size_t rank) {
    Caller& caller = greeted_[rank];
    if (!caller.socket().is_open()) return;
    const bool is_there = caller.hear(own_hello_.run);
    if (is_there && !caller.has_said_hello()) return;
    if (is_there) joined_[rank] = caller.release();
    caller = Caller();
  }

  const std::span<const Socket> listening_;
  const Heartbeat own_hello_;
  const double patience_;
  std::deque<Caller> strangers_;  // the oldest first
  std::vector<Caller> greeted_;   // by rank
  std::vector<Socket> joined_;    // by rank
};

}  // namespace

std::vector<Socket> await_workers(std::span<const Socket> listening, size_t workers, const Heartbeat& hello,
                                  const JoiningLimits& limits) {
  Reception reception(listening, workers, hello, limits.hello);
  for (const double end = monotonic_seconds() + limits.together; monotonic_seconds() < end && reception.listen();) {
  }
  return reception.take_joined();
}

Socket call_leader(std::span<const Endpoint> endpoints, const Heartbeat& hello, const JoiningLimits& limits) {
  for (const double end = monotonic_seconds() + limits.together; monotonic_seconds() < end;
       std::this_thread::sleep_for(kPause)) {
    for (const Endpoint& endpoint : endpoints) {
      Caller leader(connect_to(endpoint, limits.address), limits.address + limits.hello);
      if (!leader.socket().is_open() || !send_whole(leader.socket(), hello)) continue;
      while (leader.hear(hello.run) && !leader.is_late()) {
        if (leader.has_said_hello() && send_whole(leader.socket(), hello)) return leader.release();
        is_readable(leader.socket(), 0.05);
      }
    }
  }
  return Socket();
}

}  // namespace verbund
