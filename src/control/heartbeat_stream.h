// Pulses and what is attached to them, as a stream of bytes over a socket that is never waited for: what cannot leave
// yet is kept, and what has come is put together until it is whole.
#pragma once

#include <span>
#include <vector>

#include "control/message_queue.h"
#include "control/heartbeat.h"
#include "control/sockets.h"

namespace verbund {

constexpr size_t kMostAttached = Message::kMostBytes;

class PulseWriter {
 public:
  // At most kMostAttached; the rest of a longer text is cut off.
  void add(Heartbeat heartbeat, std::span<const std::byte> attached = {});
  // As much as can leave now.
  void send(const Socket& socket);
  size_t unsent() const { return unsent_.size(); }

 private:
  std::vector<std::byte> unsent_;
};

enum class Heard {
  kNothing,   // that is whole
  kPulse,     // see heartbeat() and attached()
  kGone,      // the other side
  kNonsense,  // no worker says such a thing; reading on makes no sense
};

class PulseReader {
 public:
  // Of workers that know this number.
  explicit PulseReader(uint64_t run = 0) : run_(run) {}

  // One heartbeat at a time. Never takes more memory than the largest one needs, whatever comes.
  Heard read(const Socket& socket);
  // The last one, until the next call.
  const Heartbeat& heartbeat() const { return pulse_; }
  std::span<const std::byte> attached() const { return attached_; }

 private:
  bool makes_sense() const;

  uint64_t run_;
  Heartbeat pulse_;
  std::vector<std::byte> attached_;
  size_t received_ = 0;    // bytes of this one
  bool is_whole_ = false;  // the next byte belongs to another one
};

}  // namespace verbund
