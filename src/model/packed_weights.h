// SPDX-License-Identifier: Apache-2.0
// PackedWeights keeps weights in the order in which the device's GEMM reads them. Steps of a
// translation multiply the same weights with few rows, and need not pack them each time.
#pragma once

#include <cstdint>
#include <map>

#include "device/weights.h"

namespace verbund {

class PackedWeights {
 public:
  explicit PackedWeights(const Weights& weights) : weights_(weights) {}

  // The packed copy of a weight [out, in], made when it is first asked for. Null if the device has no other order.
  const float* of(ConstTypedFloats weight, int64_t out, int64_t in);
  // Forgets the copies if the weights have been written since.
  void update();
  void clear() { packed_.clear(); }

 private:
  const Weights& weights_;
  uint64_t version_ = 0;
  std::map<const void*, Buffer> packed_;
};

}  // namespace verbund
