// What one worker tells another on the watch's channel: a sign of life, with what it does, or more. All workers run the
// same program on the same kind of machine, so it goes over the wire as it is; `attached` bytes follow it
// (comm/pulse_stream.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace verbund {

enum class HeartbeatKind : uint32_t {
  kHello,    // the first one
  kAlive,    //
  kFailed,   // to worker 0: I cannot go on; attached: why
  kEnd,      // to all: end with `exit_code`
  kGoodbye,  // do not miss me
  kMessage,  // to worker 0: attached, for its handler
  kPing,     // to worker 0: what is your clock? So that all before it has come, too
  kAnswer,   // to a ping, at once
};
constexpr HeartbeatKind kLastPulseKind = HeartbeatKind::kAnswer;

struct Heartbeat {
  uint64_t run = 0;  // a number that only the workers of this run know
  HeartbeatKind kind = HeartbeatKind::kAlive;
  int32_t rank = 0;
  uint64_t entered = 0, finished = 0;  // collective operations
  double waiting = 0;                  // seconds in the current one
  int64_t step = 0;
  int32_t may_block = 0;  // what it does may take any time
  int32_t exit_code = 0;
  char doing[48] = "start";
  char operation[48] = "start";
  uint64_t ping = 0;                           // its number, in the answer too
  double sent = 0, received = 0, replied = 0;  // of a ping and its answer, see ClockSample
  uint64_t dropped = 0;                        // messages before this one
  uint64_t attached = 0;                       // bytes that follow
};
static_assert(std::is_trivially_copyable_v<Heartbeat>);

template <size_t Size>
void set_text(char (&place)[Size], const std::string& text) {
  std::snprintf(place, Size, "%s", text.c_str());
}

}  // namespace verbund
