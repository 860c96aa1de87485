// SPDX-License-Identifier: Apache-2.0
#include "model/position_codes.h"

#include <algorithm>
#include <cmath>

namespace verbund {

std::vector<float> position_codes(Positions positions, int64_t length, int64_t d) {
  std::vector<float> codes(static_cast<size_t>(length * d));
  const int64_t half = d / 2;
  // Wavelengths from 2 pi to 10000 times that: the longest is the last of `halves`, and would be the one after the last
  // of the others.
  const int64_t last = positions == Positions::kHalves ? std::max<int64_t>(1, half - 1) : half;
  const double step = std::log(10000.0) / static_cast<double>(last);
  for (int64_t position = 0; position < length; ++position) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * std::exp(static_cast<double>(i) * -step);
      const bool in_turn = positions == Positions::kInterleaved;
      const int64_t sine = position * d + (in_turn ? 2 * i : i), cosine = in_turn ? sine + 1 : sine + half;
      codes[static_cast<size_t>(sine)] = static_cast<float>(std::sin(angle));
      codes[static_cast<size_t>(cosine)] = static_cast<float>(std::cos(angle));
    }
  }
  return codes;
}

void PositionCodes::reach(int64_t length) {
  if (length <= length_) return;
  length_ = 2 * length;
  codes_.reset();
  codes_.emplace(device_, static_cast<size_t>(length_ * d_), "position codes");
  codes_->upload(position_codes(positions_, length_, d_));
}

}  // namespace verbund
