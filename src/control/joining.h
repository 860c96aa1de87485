// How workers come to the watch's channel at the start: worker 0 listens, the others call. Anybody may call a port, so
// a caller is nobody until it has named the number that only the workers of this run know, which they have from the
// other channel. Strangers cannot hold up a start: all callers are heard at once, each has little time and little room,
// and the oldest make way for new ones.
//
// A worker says hello, worker 0 says hello to it, and the worker once more: so both know that both know. Whoever waits
// in vain calls again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "control/heartbeat.h"
#include "control/sockets.h"

namespace verbund {

// In seconds.
struct JoiningLimits {
  double address = 2;    // until somebody answers at an address
  double hello = 2;      // from there to the other's hello
  double together = 15;  // until all workers are there
};

// Worker 0's side: waits at all its listening sockets until so many workers have joined, itself counted, or for some
// time. Returns sockets by rank; its own, and those of workers that have not come, are not open.
std::vector<Socket> await_workers(std::span<const Socket> listening, size_t workers, const Heartbeat& hello,
                                  const JoiningLimits& limits = {});

// The others' side: calls worker 0, here and there, until it has answered. Not open if it has not.
Socket call_leader(std::span<const Endpoint> endpoints, const Heartbeat& hello, const JoiningLimits& limits = {});

}  // namespace verbund
