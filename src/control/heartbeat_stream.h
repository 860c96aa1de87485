// SPDX-License-Identifier: Apache-2.0
// Heartbeat is a worker's message on the control channel: a sign of life with the worker's current activity, or more.
// HeartbeatWriter and HeartbeatReader turn heartbeats and attached bytes into a byte stream over a non-blocking socket:
// the writer keeps what cannot be sent yet, the reader assembles what has arrived.
//
// All workers run the same program on the same kind of machine, so the struct is sent as it lies in memory; `attached`
// bytes follow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "control/sockets.h"

namespace verbund {

enum class HeartbeatKind : uint32_t {
  kHello,     // the first one
  kAlive,     //
  kFailed,    // to worker 0: the sender has failed; attached: why
  kEnd,       // to all: exit with `exit_code`
  kShutdown,  // orderly shutdown: the sender may leave from now on
  kMessage,   // to worker 0: attached, for its handler
  kPing,      // to worker 0: asks for its clock, and shows that all that was sent before has arrived
  kAnswer,    // to a ping, at once
  kGone,      // of a leader: `rank`, to which it had the connection, is gone; attached: how
};
constexpr HeartbeatKind kLastHeartbeatKind = HeartbeatKind::kGone;

constexpr int64_t kToAll = -1;  // the receiver and its children

struct Heartbeat {
  uint64_t run = 0;  // a number that only the workers of this run know
  HeartbeatKind kind = HeartbeatKind::kAlive;
  int32_t rank = 0;                    // whom it tells of: the sender, except for kGone
  int64_t to = 0;                      // the rank that it is for, or kToAll
  uint64_t entered = 0, finished = 0;  // collective operations
  double waiting = 0;                  // seconds in the current operation
  int64_t step = 0;
  int32_t may_block = 0;  // the current activity may take any time
  int32_t exit_code = 0;
  char doing[48] = "start";
  char operation[48] = "start";
  uint64_t ping = 0;                           // the number of a ping, repeated in its answer
  double sent = 0, received = 0, replied = 0;  // of a ping and its answer, see ClockSample
  uint64_t dropped = 0;                        // messages before this one
  uint64_t attached = 0;                       // bytes that follow
};
static_assert(std::is_trivially_copyable_v<Heartbeat>);

template <size_t Size>
void set_text(char (&place)[Size], const std::string& text) {
  std::snprintf(place, Size, "%s", text.c_str());
}

constexpr size_t kMaxAttached = 64 * 1024;

class HeartbeatWriter {
 public:
  // Attaches at most kMaxAttached bytes; the rest is cut off.
  void add(Heartbeat heartbeat, std::span<const std::byte> attached = {});
  // Sends as much as the socket accepts now.
  void send(const Socket& socket);
  size_t unsent() const { return unsent_.size(); }
  // The socket has not accepted all that it was given the last time.
  bool is_blocked() const { return is_blocked_; }

 private:
  std::vector<std::byte> unsent_;
  bool is_blocked_ = false;
};

enum class Heard {
  kNothing,    // no complete heartbeat yet
  kHeartbeat,  // see heartbeat() and attached()
  kGone,       // the other side has closed the connection
  kMalformed,  // no worker of this run sends such bytes; the rest of the stream is useless
};

class HeartbeatReader {
 public:
  // Accepts heartbeats with this run number alone.
  explicit HeartbeatReader(uint64_t run = 0) : run_(run) {}

  // Reads one heartbeat at a time. Never uses more memory than the largest one needs, whatever arrives.
  Heard read(const Socket& socket);
  // The last heartbeat, until the next call.
  const Heartbeat& heartbeat() const { return heartbeat_; }
  std::span<const std::byte> attached() const { return attached_; }

 private:
  bool is_valid() const;

  uint64_t run_;
  Heartbeat heartbeat_;
  std::vector<std::byte> attached_;
  size_t received_ = 0;       // bytes of this heartbeat
  bool is_complete_ = false;  // the next byte belongs to another heartbeat
};

}  // namespace verbund
