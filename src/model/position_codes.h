// What tells the model where in a sentence a token stands.
#pragma once

#include <optional>
#include <vector>

#include "device/buffer.h"

namespace verbund {

// As OpenSeq2Seq computes them: [sin, cos] halves, [length, d].
std::vector<float> position_codes(int64_t length, int64_t d);

// Those of the first positions in a device's memory; as many as were asked for so far.
class PositionCodes {
 public:
  PositionCodes(Device& device, int64_t d) : device_(device), d_(d) {}

  // Makes sure that there are `length` of them. What `at` gave before is gone if there were not.
  void reach(int64_t length);
  const float* at(int64_t position) const { return codes_->data() + position * d_; }

 private:
  Device& device_;
  int64_t d_, length_ = 0;
  std::optional<Buffer> codes_;
};

}  // namespace verbund
