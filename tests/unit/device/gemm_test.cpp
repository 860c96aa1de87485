// SPDX-License-Identifier: Apache-2.0
// The GEMMs of a linear layer on the CPU: transposition, strides, adding; and their log.
#include "device/gemm.h"

#include <gtest/gtest.h>

#include "support/buffers.h"
#include "support/on_cpu.h"

namespace verbund {
namespace {

// Rows that are part of wider ones.
struct Matrix {
  int64_t width, stride;
  std::vector<float> values;

  Matrix(int64_t rows, int64_t columns, int64_t gap, uint64_t seed)
      : width(columns), stride(columns + gap), values(random_values(static_cast<size_t>(rows * stride), seed)) {}
  float& at(int64_t row, int64_t column) { return values[static_cast<size_t>(row * stride + column)]; }
  MatrixRows rows() { return {values.data(), stride}; }
};

constexpr int64_t kRows = 13, kOut = 7, kIn = 9;

TEST(LinearGemms, AreTheThreeOfALayer) {
  Matrix x(kRows, kIn, 2, 1), dy(kRows, kOut, 3, 2), w(kOut, kIn, 0, 3);
  for (const Into into : {Into::kReplace, Into::kAdd}) {
    Matrix y(kRows, kOut, 1, 4), dx(kRows, kIn, 0, 5), dw(kOut, kIn, 0, 6);
    Matrix y_before = y, dx_before = dx, dw_before = dw;
    multiply_nt(cpu(), kRows, kOut, kIn, x.rows(), w.values.data(), y.rows(), into);
    multiply_nn(cpu(), kRows, kIn, kOut, dy.rows(), w.values.data(), dx.rows(), into);
    add_outer_product(cpu(), kRows, kOut, kIn, dy.rows(), x.rows(), dw.values.data());
    const float kept = into == Into::kAdd ? 1 : 0;
    for (int64_t n = 0; n < kRows; ++n) {
      for (int64_t o = 0; o < kOut; ++o) {
        float expected = kept * y_before.at(n, o);
        for (int64_t i = 0; i < kIn; ++i) expected += x.at(n, i) * w.at(o, i);
        EXPECT_NEAR(y.at(n, o), expected, 1e-5);
      }
      for (int64_t i = 0; i < kIn; ++i) {
        float expected = kept * dx_before.at(n, i);
        for (int64_t o = 0; o < kOut; ++o) expected += dy.at(n, o) * w.at(o, i);
        EXPECT_NEAR(dx.at(n, i), expected, 1e-5);
      }
    }
    for (int64_t o = 0; o < kOut; ++o) {
      for (int64_t i = 0; i < kIn; ++i) {
        float expected = dw_before.at(o, i);
        for (int64_t n = 0; n < kRows; ++n) expected += dy.at(n, o) * x.at(n, i);
        EXPECT_NEAR(dw.at(o, i), expected, 1e-5);
      }
    }
  }
}

TEST(CpuDevice, LogsGemmsThatCanBeRepeated) {
  Matrix x(kRows, kIn, 2, 1), w(kOut, kIn, 0, 2), y(kRows, kOut, 1, 3);
  const Matrix before = y;
  CpuDevice device;
  std::vector<Gemm> log;
  device.log_gemms(&log);
  multiply_nt(device, kRows, kOut, kIn, x.rows(), w.values.data(), y.rows(), Into::kAdd);
  device.log_gemms(nullptr);
  multiply_nt(device, kRows, kOut, kIn, x.rows(), w.values.data(), y.rows(), Into::kAdd);
  ASSERT_EQ(log.size(), 1U);
  const std::vector<float> twice = y.values;
  y.values = before.values;
  device.multiply(log[0]);
  device.multiply(log[0]);
  EXPECT_TRUE(same_bits(y.values, twice));
}

}  // namespace
}  // namespace verbund
