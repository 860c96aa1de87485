// SPDX-License-Identifier: Apache-2.0
// StopVote encodes the stop signal that a worker has received as numbers. Their sums over all workers make all of them
// take the same decision.
#pragma once

#include <array>
#include <csignal>
#include <span>

#include "core/interrupt.h"

namespace verbund {

using StopVote = std::array<double, 3>;

inline StopVote own_stop_vote() {
  const int signal = pending_interrupt();
  return {signal == SIGINT ? 1.0 : 0.0, signal == SIGHUP ? 1.0 : 0.0, signal != 0 ? 1.0 : 0.0};
}

// The signal that some worker has received, from the sums of the votes; 0: none has.
inline int voted_signal(std::span<const double, 3> sums) {
  return sums[0] > 0 ? SIGINT : sums[1] > 0 ? SIGHUP : sums[2] > 0 ? SIGTERM : 0;
}

}  // namespace verbund
