// SPDX-License-Identifier: Apache-2.0
#include "model/position_codes.h"

#include <algorithm>
#include <cmath>

namespace verbund {

std::vector<float> position_codes(int64_t length, int64_t d) {
  std::vector<float> codes(static_cast<size_t>(length * d));
  const int64_t half = d / 2;
  const double step = std::log(10000.0) / static_cast<double>(std::max<int64_t>(1, half - 1));
  for (int64_t position = 0; position < length; ++position) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * std::exp(static_cast<double>(i) * -step);
      codes[static_cast<size_t>(position * d + i)] = static_cast<float>(std::sin(angle));
      codes[static_cast<size_t>(position * d + half + i)] = static_cast<float>(std::cos(angle));
    }
  }
  return codes;
}

void PositionCodes::reach(int64_t length) {
  if (length <= length_) return;
  length_ = 2 * length;
  codes_.reset();
  codes_.emplace(device_, static_cast<size_t>(length_ * d_), "position codes");
  codes_->upload(position_codes(length_, d_));
}

}  // namespace verbund
