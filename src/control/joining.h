// SPDX-License-Identifier: Apache-2.0
// Joining opens the control channel at the start of a run: worker 0 listens, the others connect. Anybody can connect to
// a port, so a caller is a stranger until it has sent the number that only the workers of this run know; they have it
// from the rendezvous. Strangers cannot delay the start: all callers are read at the same time, each has little time
// and little memory, and the oldest make way for new ones.
//
// A worker says hello, worker 0 answers with hello, and the worker confirms with another one: then both know that both
// know. A worker that gets no answer connects again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "control/heartbeat_stream.h"
#include "control/sockets.h"

namespace verbund {

// In seconds.
struct JoiningLimits {
  double address = 2;    // until a connection is accepted at an address
  double hello = 2;      // from then until the other side's hello
  double together = 15;  // until all workers have joined
};

// Worker 0's side: waits at all its listening sockets until so many workers have joined, itself included, or the time
// is over. Returns sockets by rank; its own, and those of missing workers, are not open.
std::vector<Socket> await_workers(std::span<const Socket> listening, size_t workers, const Heartbeat& hello,
                                  const JoiningLimits& limits = {});

// The other side: tries the endpoints of worker 0 in turn until it has answered. The socket is not open if it has not.
Socket call_leader(std::span<const Endpoint> endpoints, const Heartbeat& hello, const JoiningLimits& limits = {});

}  // namespace verbund
