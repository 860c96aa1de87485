// SPDX-License-Identifier: Apache-2.0
// Joining opens the control channel at the start of a run: a parent of the ControlTree listens, its children connect.
// Anybody can connect to a port, so a caller is a stranger until it has sent the number that only the workers of this
// run know; they have it from the rendezvous. Strangers cannot delay the start: all callers are read at the same time,
// each has little time and little memory, and the oldest make way for new ones.
//
// A child says hello, its parent answers with hello, and the child confirms with another one: then both know that both
// know. A child that gets no answer connects again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "control/heartbeat_stream.h"
#include "control/sockets.h"

namespace verbund {

// Time limits in seconds.
struct JoiningLimits {
  double address = 2;    // until a connection is accepted at an address
  double hello = 2;      // from then until the other side's hello
  double together = 15;  // until all children have joined
};

// The parent's side: waits at all its listening sockets until the workers of these ranks have joined, or the time is
// over. Returns their sockets in the same order; those of missing workers are not open.
std::vector<Socket> await_children(std::span<const Socket> listening, std::span<const size_t> ranks,
                                   const Heartbeat& hello, const JoiningLimits& limits = {});

// The other side: tries the endpoints of the parent in turn until it has answered. The socket is not open if it has
// not.
Socket call_parent(std::span<const Endpoint> endpoints, const Heartbeat& hello, const JoiningLimits& limits = {});

}  // namespace verbund
