// What this process uses of the machine.
#pragma once

#include <cstdint>

namespace verbund {

// The largest resident memory since the start, or since the last reset, in bytes.
uint64_t peak_memory();
void reset_peak_memory();

// What the system could give without swapping, in bytes.
uint64_t free_memory();

// The largest resident memory that any finished child had.
uint64_t peak_memory_of_children();

// From now on freed memory stays with the process: libraries that allocate their scratch anew in
// every call would otherwise pay for fresh pages every time.
void keep_freed_memory();

}  // namespace verbund
