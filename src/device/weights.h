// A model's weights in a device's memory, and once more in the type that its products read, if that is another one. The
// copy follows what is written by whatever way.
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
  // For products. Brings the copy up to date.
  ConstTypedFloats factors();

  // To write. The copy will be made anew.
  Buffer& write();
  // For an operation that writes values and factors alike: where those are (null: nowhere).
  struct Both {
    float* values;
    TypedFloats factors;
  };
  Both write_both();

 private:
  Buffer values_;
  Buffer copy_;  // of size 0 where values are factors
  bool stale_ = true;
};

}  // namespace verbund
