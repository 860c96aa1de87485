// SPDX-License-Identifier: Apache-2.0
// Weights holds a model's weights in a device's memory, and a second time in the compute dtype, if that is not float.
// The copy always follows the weights, whoever writes them.
#pragma once

#include "device/buffer.h"

namespace verbund {

class Weights {
 public:
  Weights(Device& device, size_t size);

  Device& device() const { return values_.device(); }
  size_t size() const { return values_.size(); }

  const float* data() const { return values_.data(); }  // the device's address
  const Buffer& values() const { return values_; }
  uint64_t version() const { return version_; }  // another one after each call for writing
  // The weights in the compute dtype, as GEMMs read them. Brings the copy up to date.
  ConstTypedFloats operands();

  // For writing. The copy will be rebuilt.
  Buffer& write();
  // For an operation that writes the values and the copy (null if there is none).
  struct Both {
    float* values;
    TypedFloats operands;
  };
  Both write_both();

 private:
  Buffer values_;
  Buffer copy_;  // empty where the compute dtype is float
  bool stale_ = true;
  uint64_t version_ = 0;
};

}  // namespace verbund
