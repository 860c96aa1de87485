// SPDX-License-Identifier: Apache-2.0
// Heartbeats of a run, workers on hosts and IP addresses, as the tests of the control channel need them.
#pragma once

#include <string>
#include <vector>

#include "control/heartbeat_stream.h"
#include "control/worker.h"

namespace verbund {

constexpr uint64_t kRun = 0x1234567890abcdef;

inline Heartbeat heartbeat_of(HeartbeatKind kind, int64_t step = 0) {
  Heartbeat heartbeat;
  heartbeat.run = kRun;
  heartbeat.kind = kind;
  heartbeat.step = step;
  return heartbeat;
}

// By rank: each on the host with this name.
inline std::vector<Worker> workers_on(const std::vector<std::string>& hosts) {
  std::vector<Worker> workers;
  for (const std::string& host : hosts) workers.push_back({static_cast<int>(workers.size()), host});
  return workers;
}

inline IpAddress address(const std::string& text) { return IpAddress::parse(text).value(); }

}  // namespace verbund
