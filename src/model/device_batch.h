// SPDX-License-Identifier: Apache-2.0
// DeviceBatch holds a batch in a device's memory, copied in one transfer: tokens, sentence offsets and all else that
// the operations of a pass need.
#pragma once

#include <vector>

#include "device/packed_upload.h"
#include "model/batch_view.h"

namespace verbund {

class DeviceBatch {
 public:
  // Valid until the workspace is reset.
  void put(const Batch& batch, int64_t heads, Device& device, Workspace& workspace);

  const Rows& source() const { return source_; }
  const Rows& target() const { return target_; }
  const TokenId* target_output() const { return target_output_; }  // [T]
  const WeightOffsets& source_weights() const { return source_weights_; }
  const WeightOffsets& target_weights() const { return target_weights_; }
  const WeightOffsets& cross_weights() const { return cross_weights_; }

 private:
  PackedUpload upload_;
  Rows source_, target_;
  const TokenId* target_output_ = nullptr;
  WeightOffsets source_weights_, target_weights_, cross_weights_;
};

}  // namespace verbund
