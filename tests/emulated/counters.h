// SPDX-License-Identifier: Apache-2.0
// Counters of each kernel and library function: how often it ran, what it moved and computed. Predictions for a real
// GPU are made from them. Bytes of kernels are counted in the checked build, those of copies and GEMMs always.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace emulated {

struct Counts {
  uint64_t launches = 0, blocks = 0, threads = 0;
  uint64_t operations = 0;
  uint64_t bytes_read = 0, bytes_written = 0;        // of global memory, every access
  uint64_t distinct_read = 0, distinct_written = 0;  // each byte once per launch: traffic to memory at best
  uint64_t shared_read = 0, shared_written = 0;      // bytes of shared memory, every access
  uint64_t shared_bytes = 0;                         // of a block, at most
};

void count(const std::string& name, const Counts& counts);
void count_time(const std::string& name, std::chrono::steady_clock::duration time);
std::string counters_as_json();
void reset_counters();

}  // namespace emulated
