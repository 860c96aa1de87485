#include "control/heartbeat_stream.h"

#include <algorithm>

namespace verbund {

void PulseWriter::add(Heartbeat heartbeat, std::span<const std::byte> attached) {
  attached = attached.first(std::min(attached.size(), kMostAttached));
  heartbeat.attached = attached.size();
  const auto header = std::as_bytes(std::span(&heartbeat, 1));
  unsent_.insert(unsent_.end(), header.begin(), header.end());
  unsent_.insert(unsent_.end(), attached.begin(), attached.end());
}

void PulseWriter::send(const Socket& socket) {
  if (unsent_.empty()) return;
  const int sent = socket.send(unsent_);
  if (sent > 0) unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
}

Heard PulseReader::read(const Socket& socket) {
  if (is_whole_) {
    received_ = 0;
    attached_.clear();
    is_whole_ = false;
  }
  while (true) {
    const auto place = received_ < sizeof pulse_ ? std::as_writable_bytes(std::span(&pulse_, 1)).subspan(received_)
                                                 : std::span(attached_).subspan(received_ - sizeof pulse_);
    const int more = socket.receive(place);
    if (more < 0) return Heard::kGone;
    if (more == 0) return Heard::kNothing;
    received_ += static_cast<size_t>(more);
    if (received_ < sizeof pulse_) continue;
    if (received_ == sizeof pulse_) {
      if (!makes_sense()) return Heard::kNonsense;
      pulse_.doing[sizeof pulse_.doing - 1] = pulse_.operation[sizeof pulse_.operation - 1] = '\0';
      attached_.resize(pulse_.attached);
    }
    if (received_ == sizeof pulse_ + attached_.size()) {
      is_whole_ = true;
      return Heard::kPulse;
    }
  }
}

bool PulseReader::makes_sense() const {
  return pulse_.run == run_ && pulse_.kind <= kLastPulseKind && pulse_.attached <= kMostAttached;
}

}  // namespace verbund
