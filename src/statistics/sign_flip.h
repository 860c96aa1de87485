// Are paired values of A larger than those of B? If nothing but chance made the differences, each might as well have
// the other sign: how often does a sum with signs drawn at random reach the one that was seen?
#pragma once

#include <cstdint>
#include <span>

namespace verbund {

// One-sided p-value of "the differences are not above 0 on the whole": (times reached + 1) / (flips + 1).
double sign_flip_test(std::span<const double> differences, size_t flips = 2000, uint64_t seed = 1);

}  // namespace verbund
