// SPDX-License-Identifier: Apache-2.0
// This process: its memory, command line, standard descriptors and threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbund {

// The largest resident memory since the start, or since the last reset, in bytes.
uint64_t peak_memory();
void reset_peak_memory();

// The command line, the name of the program first.
std::vector<std::string> command_line();

// Memory that is available without swapping, in bytes.
uint64_t free_memory();

// The largest resident memory of any finished child.
uint64_t peak_memory_of_children();

// Opens /dev/null for each standard descriptor that is closed, before any file is opened: otherwise the next file would
// get that descriptor, and messages would be written into it. Reading text and writing results remain errors.
void fill_standard_descriptors();

// Shortens the busy wait of OpenMP threads. With GNU's default, a program becomes many times slower when another one
// runs on the same cores. The library reads its settings before main, so this sets the variable and executes the
// program again, once. OMP_WAIT_POLICY or GOMP_SPINCOUNT of the user have priority.
void wait_briefly_for_threads(char** argv);

// Keeps freed memory in the process from now on: libraries that allocate scratch memory in every call would otherwise
// get fresh pages every time.
void keep_freed_memory();

// Raises the limit of open files to what the system allows this process: many workers need many connections, and the
// usual limit of 1,024 is meant for programs that use select(2).
void allow_many_files();

}  // namespace verbund
