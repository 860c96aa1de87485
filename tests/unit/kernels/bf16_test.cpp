// SPDX-License-Identifier: Apache-2.0
// GEMM in bfloat16 against three loops in double precision over operands rounded the same way.
#include <omp.h>

#include <bit>

#include "unit/kernels/reference.h"

namespace verbund::bf16_test {
namespace {

// To the nearest bfloat16, ties to even.
double rounded(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  bits += 0x7FFF + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xFFFF0000);
}

struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {{1, 1, 1},      {1, 7, 3},      {14, 32, 16},  {17, 33, 65}, {6, 16, 255},   {65, 130, 31},
                             {129, 65, 257}, {200, 17, 523}, {5, 1100, 19}, {4, 5, 0},    {171, 40, 1001}};

class Bf16Gemm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_bf16_gemm()) GTEST_SKIP() << "this processor has no AVX512-BF16";
  }
  void TearDown() override { omp_set_num_threads(1); }
  static void multiply(const Gemm& gemm) { verbund::multiply(choose_kernels(), GemmOperands::kRoundedToBf16, gemm); }
};

TEST_F(Bf16Gemm, IsThatOfRoundedOperands) {
  for (const Shape& s : kShapes) {
    for (int choice = 0; choice < 8; ++choice) {
      const bool transpose_a = (choice & 1) != 0, transpose_b = (choice & 2) != 0, add = (choice & 4) != 0;
      SCOPED_TRACE(::testing::Message() << s.m << " x " << s.n << " x " << s.k << ", choice " << choice);
      const Floats a = floats(s.m * s.k, 1), b = floats(s.k * s.n, 2), before = floats(s.m * s.n, 3);
      std::vector<Floats> results;
      for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        Floats c = before;
        multiply({transpose_a, transpose_b, s.m, s.n, s.k, a.data(), transpose_a ? s.m : s.k, b.data(),
                  transpose_b ? s.k : s.n, add, c.data(), s.n});
        results.push_back(c);
        const int64_t size = packed_size(choose_kernels(), GemmOperands::kRoundedToBf16, s.n, s.k);
        Floats packed(static_cast<size_t>(size)), again = before;
        Gemm gemm = {transpose_a,
                     transpose_b,
                     s.m,
                     s.n,
                     s.k,
                     a.data(),
                     transpose_a ? s.m : s.k,
                     b.data(),
                     transpose_b ? s.k : s.n,
                     add,
                     again.data(),
                     s.n};
        pack(choose_kernels(), GemmOperands::kRoundedToBf16, gemm, packed.data());
        gemm.packed_b = packed.data();
        multiply(gemm);
        EXPECT_EQ(again, c) << "packed beforehand";
      }
      EXPECT_EQ(results[0], results[1]);
      EXPECT_EQ(results[0], results[2]);
      for (int64_t i = 0; i < s.m; ++i) {
        for (int64_t j = 0; j < s.n; ++j) {
          double expected = add ? before[static_cast<size_t>(i * s.n + j)] : 0;
          for (int64_t k = 0; k < s.k; ++k) {
            expected += rounded(a[static_cast<size_t>(transpose_a ? k * s.m + i : i * s.k + k)]) *
                        rounded(b[static_cast<size_t>(transpose_b ? j * s.k + k : k * s.n + j)]);
          }
          ASSERT_NEAR(results[0][static_cast<size_t>(i * s.n + j)], expected,
                      1e-6 * (1 + std::sqrt(static_cast<double>(s.k))))
              << i << ", " << j;
        }
      }
    }
  }
}

TEST_F(Bf16Gemm, PassesOnNan) {
  Floats a(32, 1.0f), b(32, 1.0f), c(1, 0.0f);
  a[7] = std::numeric_limits<float>::quiet_NaN();
  multiply({false, true, 1, 1, 32, a.data(), 32, b.data(), 32, false, c.data(), 1});
  EXPECT_TRUE(std::isnan(c[0]));
}

}  // namespace
}  // namespace verbund::bf16_test
