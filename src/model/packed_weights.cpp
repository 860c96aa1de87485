// SPDX-License-Identifier: Apache-2.0
#include "model/packed_weights.h"

namespace verbund {

const float* PackedWeights::of(ConstTypedFloats weight, int64_t out, int64_t in) {
  const auto found = packed_.find(weight.data);
  if (found != packed_.end()) return found->second.data();
  Device& device = weights_.device();
  const size_t size = device.packed_size(out, in);
  if (size == 0) return nullptr;
  Buffer packed(device, size, "packed weights");
  Gemm gemm = {};
  gemm.transpose_b = true;
  gemm.n = out;
  gemm.k = gemm.ldb = in;
  gemm.b = weight;
  device.pack(gemm, packed.data());
  return packed_.emplace(weight.data, std::move(packed)).first->second.data();
}

void PackedWeights::update() {
  if (version_ != weights_.version()) clear();
  version_ = weights_.version();
}

}  // namespace verbund
