// SPDX-License-Identifier: Apache-2.0
// Monotonic time in seconds, for durations and deadlines.
#pragma once

#include <chrono>

namespace verbund {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds of the steady clock; its origin is arbitrary.
inline double monotonic_seconds() { return seconds_since(std::chrono::steady_clock::time_point()); }

}  // namespace verbund
