// What this process uses of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbund {

// The largest resident memory since the start, or since the last reset, in bytes.
uint64_t peak_memory();
void reset_peak_memory();

// As it was given, the program's name first.
std::vector<std::string> command_line();

// What the system could give without swapping, in bytes.
uint64_t free_memory();

// The largest resident memory that any finished child had.
uint64_t peak_memory_of_children();

// A standard descriptor that is closed would become that of the next file that is opened, and what is meant for
// the terminal would land there. First of all, before anything is opened: input and messages go to /dev/null, and
// writing results remains an error.
void fill_standard_descriptors();

// Threads of OpenMP that wait for each other burn time in a loop first. As long as GNU's library does
// it, a program becomes many times slower when anything else runs beside it. The library reads its
// settings before main, so this sets a short wait and starts the program again, once; a wish of the
// user (OMP_WAIT_POLICY, GOMP_SPINCOUNT) holds.
void wait_briefly_for_threads(char** argv);

// From now on freed memory stays with the process: libraries that allocate their scratch anew in
// every call would otherwise pay for fresh pages every time.
void keep_freed_memory();

}  // namespace verbund
