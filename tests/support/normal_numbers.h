// SPDX-License-Identifier: Apache-2.0
// Standard normal numbers, the same on every machine, as noise for made series.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "core/random.h"

namespace verbund {

class NormalNumbers {
 public:
  explicit NormalNumbers(uint64_t seed) : random_(seed, 77) {}

  double next() {
    const double u = 1 - random_.uniform(), v = random_.uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

  std::vector<double> take(size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = next();
    return values;
  }

 private:
  Random random_;
};

}  // namespace verbund
