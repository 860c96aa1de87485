// A sign of life: what one worker tells another on the watch's channel. All workers run the same
// program on the same kind of machine, so it goes over the wire as it is.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

namespace verbund {

enum class PulseKind : uint32_t {
  kHello,    // the first one
  kAlive,    //
  kFailed,   // to worker 0: I cannot go on, because of `message`
  kEnd,      // to all: end with `exit_code`
  kGoodbye,  // do not miss me
};

struct Pulse {
  uint64_t run = 0;  // a number that only the workers of this run know
  PulseKind kind = PulseKind::kAlive;
  int32_t rank = 0;
  uint64_t entered = 0, finished = 0;  // collective operations
  double waiting = 0;                  // seconds in the current one
  int64_t step = 0;
  int32_t any_time = 0;  // what it does may take any time
  char doing[48] = "start";
  char operation[48] = "start";
  int32_t exit_code = 0;
  char message[1500] = "";
};
static_assert(std::is_trivially_copyable_v<Pulse>);

template <size_t Size>
void set_text(char (&place)[Size], const std::string& text) {
  std::snprintf(place, Size, "%s", text.c_str());
}

}  // namespace verbund
