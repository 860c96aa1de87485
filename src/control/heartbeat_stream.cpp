// SPDX-License-Identifier: Apache-2.0
#include "control/heartbeat_stream.h"

#include <algorithm>

namespace verbund {

void HeartbeatWriter::add(Heartbeat heartbeat, std::span<const std::byte> attached) {
  attached = attached.first(std::min(attached.size(), kMaxAttached));
  heartbeat.attached = attached.size();
  const auto header = std::as_bytes(std::span(&heartbeat, 1));
  unsent_.insert(unsent_.end(), header.begin(), header.end());
  unsent_.insert(unsent_.end(), attached.begin(), attached.end());
}

void HeartbeatWriter::send(const Socket& socket) {
  if (unsent_.empty()) return;
  const int sent = socket.send(unsent_);
  if (sent > 0) unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
  is_blocked_ = !unsent_.empty();
}

Heard HeartbeatReader::read(const Socket& socket) {
  if (is_complete_) {
    received_ = 0;
    attached_.clear();
    is_complete_ = false;
  }
  while (true) {
    const auto place = received_ < sizeof heartbeat_
                           ? std::as_writable_bytes(std::span(&heartbeat_, 1)).subspan(received_)
                           : std::span(attached_).subspan(received_ - sizeof heartbeat_);
    const int more = socket.receive(place);
    if (more < 0) return Heard::kGone;
    if (more == 0) return Heard::kNothing;
    received_ += static_cast<size_t>(more);
    if (received_ < sizeof heartbeat_) continue;
    if (received_ == sizeof heartbeat_) {
      if (!is_valid()) return Heard::kMalformed;
      heartbeat_.doing[sizeof heartbeat_.doing - 1] = heartbeat_.operation[sizeof heartbeat_.operation - 1] = '\0';
      attached_.resize(heartbeat_.attached);
    }
    if (received_ == sizeof heartbeat_ + attached_.size()) {
      is_complete_ = true;
      return Heard::kHeartbeat;
    }
  }
}

bool HeartbeatReader::is_valid() const {
  return heartbeat_.run == run_ && heartbeat_.kind <= kLastHeartbeatKind && heartbeat_.attached <= kMaxAttached;
}

}  // namespace verbund
