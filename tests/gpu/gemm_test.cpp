// SPDX-License-Identifier: Apache-2.0
// GEMM by cuBLAS against the CPU's.
#include "gpu/gpu.h"

namespace verbund::gemm_test {
namespace {

class GpuGemm : public GpuTest {
 protected:
  // Numbers that the operands can represent: those of tf32 are floats with as many bits as those of fp16.
  Floats operands(int64_t count, uint64_t seed) {
    const bool tf32 = GetParam() == Precision::kTf32;
    return rounded(random_values(static_cast<size_t>(count), seed), tf32 ? FloatType::kFp16 : type());
  }
};
INSTANTIATE_TEST_SUITE_P(In, GpuGemm,
                         ::testing::Values(Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16),
                         GpuTest::name);

TEST_P(GpuGemm, OperandsHaveTheBitsOfTheirPrecision) {
  if (type() != FloatType::kFp32) return;
  const float more = 1 + 1.0f / 4096;  // 12 bits: tf32 has 10
  const OnDevice<float> a(device(), Floats(64, more)), b(device(), Floats(64, 1)), c(device(), Floats(64));
  device().multiply({false, false, 8, 8, 8, a.data(), 8, b.data(), 8, false, c.data(), 8});
  EXPECT_EQ(c.get(), Floats(64, GetParam() == Precision::kTf32 ? 8 : 8 * more));
}

TEST_P(GpuGemm, OfAllShapes) {
  struct Size {
    int64_t m, n, k, gap;
  };
  for (const Size& s : {Size{8, 16, 24, 0}, Size{33, 40, 64, 8}, Size{1, 8, 8, 0}}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        for (const bool add : {false, true}) {
          for (const bool float_result : {false, true}) {
            const auto run = [&](Device& device) {
              const int64_t lda = (transpose_a ? s.m : s.k) + s.gap, ldb = (transpose_b ? s.k : s.n) + s.gap;
              const int64_t ldc = s.n + s.gap;
              const TypedOnDevice a(device, operands((transpose_a ? s.k : s.m) * lda, 1), type());
              const TypedOnDevice b(device, operands((transpose_b ? s.n : s.k) * ldb, 2), type());
              const TypedOnDevice c(device, operands(s.m * ldc, 3), float_result ? FloatType::kFp32 : type());
              device.multiply(
                  {transpose_a, transpose_b, s.m, s.n, s.k, a.data(), lda, b.data(), ldb, add, c.data(), ldc});
              return Outputs{{float_result ? "c" : "c.", c.get()}};
            };
            compare(run, std::to_string(s.m) + " x " + std::to_string(s.n));
          }
        }
      }
    }
  }
}

TEST_P(GpuGemm, OfNothing) {
  const TypedOnDevice a(device(), operands(64, 1), type()), c(device(), operands(64, 2), type());
  device().multiply({false, false, 0, 8, 8, a.data(), 8, a.data(), 8, false, c.data(), 8});
  EXPECT_TRUE(same_bits(c.get(), operands(64, 2)));
}

TEST_P(GpuGemm, OfTwoTypesAreRefused) {
  if (type() == FloatType::kFp32) return;
  const TypedOnDevice a(device(), operands(64, 1), type());
  const OnDevice<float> b(device(), random_values(64, 1));
  EXPECT_THROW(device().multiply({false, false, 8, 8, 8, a.data(), 8, b.data(), 8, false, b.data(), 8}),
               std::runtime_error);
}

}  // namespace
}  // namespace verbund::gemm_test
