// SPDX-License-Identifier: Apache-2.0
// PositionCodes tell the model the position of a token in its sentence.
#pragma once

#include <optional>
#include <vector>

#include "config/model_config.h"
#include "device/buffer.h"

namespace verbund {

// The codes of the first `length` positions, [length, d].
std::vector<float> position_codes(Positions positions, int64_t length, int64_t d);

// The codes of the first positions in a device's memory, as many as were needed so far.
class PositionCodes {
 public:
  PositionCodes(Device& device, const ModelConfig& config)
      : device_(device), positions_(config.positions), d_(config.d_model) {}

  // Makes sure that there are `length` of them. Invalidates earlier results of `at` if there were fewer.
  void reach(int64_t length);
  const float* at(int64_t position) const { return codes_->data() + position * d_; }

 private:
  Device& device_;
  Positions positions_;
  int64_t d_, length_ = 0;
  std::optional<Buffer> codes_;
};

}  // namespace verbund
