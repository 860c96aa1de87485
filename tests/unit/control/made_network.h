// SPDX-License-Identifier: Apache-2.0
// Heartbeats of a run and IP addresses, as the tests of the control channel need them.
#pragma once

#include <string>

#include "control/heartbeat_stream.h"

namespace verbund {

constexpr uint64_t kRun = 0x1234567890abcdef;

inline Heartbeat heartbeat_of(HeartbeatKind kind, int64_t step = 0) {
  Heartbeat heartbeat;
  heartbeat.run = kRun;
  heartbeat.kind = kind;
  heartbeat.step = step;
  return heartbeat;
}

inline IpAddress address(const std::string& text) { return IpAddress::parse(text).value(); }

}  // namespace verbund
