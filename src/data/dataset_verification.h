// Reads a dataset once, whole: is every byte the one that was written, and is every number within its bounds? A
// damaged one would train on wrong data or crash, so this comes before training.
#pragma once

#include <cstdint>
#include <string>

#include "data/dataset.h"

namespace verbund {

struct Verification {
  uint64_t bytes = 0;
  double seconds = 0;
};

// Of the whole dataset, or of what the pairs of one split need. Fails with the name of the file that is wrong.
Verification verify(const Dataset& dataset, const std::string& only_split = "");

}  // namespace verbund
