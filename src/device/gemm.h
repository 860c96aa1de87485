// SPDX-License-Identifier: Apache-2.0
// The three GEMMs of a linear layer, by name: output, gradient of the input, gradient of the weight.
#pragma once

#include "device/device.h"

namespace verbund {

// Rows that may be part of wider ones: they begin `stride` elements apart.
struct MatrixRows {
  TypedFloats data;
  int64_t stride;
};
struct ConstMatrixRows {
  ConstTypedFloats data;
  int64_t stride;
  ConstMatrixRows(ConstTypedFloats from, int64_t row_stride) : data(from), stride(row_stride) {}
  ConstMatrixRows(TypedFloats from, int64_t row_stride) : data(from), stride(row_stride) {}
  ConstMatrixRows(MatrixRows rows) : data(rows.data), stride(rows.stride) {}  // NOLINT: meant to be implicit
};

enum class Into { kReplace, kAdd };

// y[n, out] = x[n, in] w[out, in]^T; `packed`: the weight once more, see Device::pack.
inline void multiply_nt(Device& device, int64_t n, int64_t out, int64_t in, ConstMatrixRows x, ConstTypedFloats w,
                        MatrixRows y, Into into, const float* packed = nullptr) {
  device.multiply({false, true, n, out, in, x.data, x.stride, w, in, into == Into::kAdd, y.data, y.stride, packed});
}
// dx[n, in] = dy[n, out] w[out, in]
inline void multiply_nn(Device& device, int64_t n, int64_t in, int64_t out, ConstMatrixRows dy, ConstTypedFloats w,
                        MatrixRows dx, Into into) {
  device.multiply({false, false, n, in, out, dy.data, dy.stride, w, in, into == Into::kAdd, dx.data, dx.stride});
}
// dw[out, in] += dy[n, out]^T x[n, in]
inline void add_outer_product(Device& device, int64_t n, int64_t out, int64_t in, ConstMatrixRows dy, ConstMatrixRows x,
                              float* dw) {
  device.multiply({true, false, out, in, n, dy.data, dy.stride, x.data, x.stride, true, dw, in});
}

}  // namespace verbund
