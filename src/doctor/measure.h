// What the workers measure together: the links between their hosts, and the sum of a gradient.
#pragma once

#include <vector>

#include "collectives/workers.h"
#include "doctor/facts.h"

namespace verbund {

// From each host to each other one, by the first worker of each. The same on all workers.
std::vector<LinkFacts> measure_links(Workers& workers);
// The same between workers of any hosts.
std::vector<LinkFacts> measure_links_between(Workers& workers, const std::vector<int>& ranks);

// Of a gradient of so many bytes, which travels as it would in training. Whatever the network, it takes a few seconds:
// it begins with a small part of the gradient, and doubles it until it takes long enough or is all there is.
AllReduceFacts measure_all_reduce(Workers& workers, uint64_t bytes, Wire wire);

// Sums the buffers of all workers as training does; the seconds are those of the slowest.
double sum_over_workers(Communicator& all, std::span<float> buffer, Wire wire);

}  // namespace verbund
