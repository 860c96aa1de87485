// SPDX-License-Identifier: Apache-2.0
// Measurements that all workers make together: links between their hosts, an all-reduce, and a sum by the GPUs.
#pragma once

#include <utility>
#include <vector>

#include "collectives/workers.h"
#include "device/device.h"
#include "doctor/facts.h"

namespace verbund {

// Links from each host to each other one, measured by the first worker of each. The same on all workers.
std::vector<LinkFacts> measure_links(Workers& workers);
// The same between the given workers of any hosts.
std::vector<LinkFacts> measure_links_between(Workers& workers, const std::vector<int>& ranks);

// All-reduces a gradient of `bytes` bytes as training does. Takes a few seconds on any network: it begins with a small
// part of the gradient, and doubles it until it takes long enough or is complete.
AllReduceFacts measure_all_reduce(Workers& workers, uint64_t bytes, Wire wire);

// Sums the buffers of all workers as training does; returns the seconds of the slowest.
double sum_over_workers(Communicator& all, std::span<float> buffer, Wire wire);

// Sums a few megabytes on the GPUs of all workers, and on the hosts for comparison. The same on all workers.
GpuSumFacts measure_gpu_sum(Workers& workers, Device& device);

using Round = std::vector<std::pair<int, int>>;  // the lower number first

// All pairs of 0 .. count - 1, in rounds in which each is in at most one pair, as in a round-robin tournament: number 0
// keeps its seat at a table, the others move by one seat after each round, and those opposite form a pair. With an odd
// count one pauses.
std::vector<Round> rounds_of_pairs(int count);

}  // namespace verbund
