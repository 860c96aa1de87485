// SPDX-License-Identifier: Apache-2.0
// The settings of the emulated GPUs: from the environment when the library is loaded, later set by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulated {

// In which order runs what a GPU runs in any order: threads, blocks and streams.
enum class Order { kForward, kBackward, kRandom };

struct Settings {
  std::vector<int> devices = {0, 1};  // those that are seen, by their number on the machine
  int architecture = 70;              // compute capability, times ten
  size_t memory = size_t{4} << 30;    // of each device
  Order order = Order::kForward;
  uint64_t seed = 1;     // of the random order
  int patience = 500;    // milliseconds until work that others wait for runs unasked, see streams.cpp
  std::string counters;  // file for the counters when the process ends; %p is its number
};

Settings& settings();

// forward, backward, random:SEED; false if it is none of them.
bool set_order(const std::string& text);

}  // namespace emulated
