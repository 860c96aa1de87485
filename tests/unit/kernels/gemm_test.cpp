// SPDX-License-Identifier: Apache-2.0
// GEMM against three loops in double precision.
#include <limits>

#include "unit/kernels/reference.h"

namespace verbund::gemm_test {
namespace {

// Rows that are part of wider ones: `gap` floats between them must stay what they are.
struct Matrix {
  int64_t rows, width, stride;
  Floats values;

  Matrix(int64_t n, int64_t columns, int64_t gap, uint64_t seed)
      : rows(n), width(columns), stride(columns + gap), values(floats(n * stride, seed)) {}
  double at(int64_t row, int64_t column) const { return values[static_cast<size_t>(row * stride + column)]; }
  const float* data() const { return values.data(); }
  float* data() { return values.data(); }
};

// The GEMM must have computed from `before`: term(row, column, k) summed over k, gaps untouched.
template <typename Term>
void expect_gemm(const Matrix& actual, const Matrix& before, bool added, int64_t terms, Term term) {
  for (int64_t row = 0; row < actual.rows; ++row) {
    for (int64_t column = 0; column < actual.stride; ++column) {
      const bool gap = column >= actual.width;
      double expected = gap || added ? before.at(row, column) : 0;
      for (int64_t k = 0; k < (gap ? 0 : terms); ++k) expected += term(row, column, k);
      const double tolerance = gap ? 0 : 1e-6 * (1 + std::sqrt(static_cast<double>(terms)));
      ASSERT_NEAR(actual.at(row, column), expected, tolerance) << row << ", " << column << (gap ? " (gap)" : "");
    }
  }
}

struct Case {
  int64_t m, n, k, gap;
};
// Single elements, ends of tiles, more rows, columns and depth than one block has.
constexpr Case kCases[] = {{1, 1, 1, 0},      {1, 7, 3, 2},     {3, 1, 300, 0},   {14, 32, 16, 0},
                           {17, 33, 65, 5},   {6, 16, 256, 0},  {65, 130, 31, 1}, {129, 65, 257, 3},
                           {200, 17, 520, 0}, {5, 3100, 19, 1}, {4, 5, 0, 2}};

struct GemmCase {
  Gemm gemm;
  Matrix a, b, before;

  GemmCase(const Case& c, bool transpose_a, bool transpose_b, bool add)
      : a(transpose_a ? c.k : c.m, transpose_a ? c.m : c.k, c.gap, 1),
        b(transpose_b ? c.n : c.k, transpose_b ? c.k : c.n, c.gap, 2),
        before(c.m, c.n, c.gap, 3) {
    gemm = {transpose_a, transpose_b, c.m,      c.n, c.k,           a.data(),
            a.stride,    b.data(),    b.stride, add, before.data(), before.stride};
  }
  GemmCase(const GemmCase&) = delete;
  double term(int64_t row, int64_t column, int64_t k) const {
    return (gemm.transpose_a ? a.at(k, row) : a.at(row, k)) * (gemm.transpose_b ? b.at(column, k) : b.at(k, column));
  }
};

class Multiply : public KernelTest {
 public:
  template <typename Check>
  void for_every_case(Check check) {
    for (const Case& c : kCases) {
      for (const int choice : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const bool transpose_a = (choice & 1) != 0, transpose_b = (choice & 2) != 0, add = (choice & 4) != 0;
        SCOPED_TRACE(::testing::Message() << c.m << " x " << c.n << " x " << c.k << (transpose_a ? ", A^T" : "")
                                          << (transpose_b ? ", B^T" : "") << (add ? ", added" : ""));
        check(GemmCase(c, transpose_a, transpose_b, add));
      }
    }
  }
  Floats scratch = filled(kGemmScratch, std::numeric_limits<float>::quiet_NaN());
};

TEST_P(Multiply, IsThreeLoops) {
  for_every_case([&](const GemmCase& operands) {
    Matrix c = operands.before;
    Gemm gemm = operands.gemm;
    gemm.c = c.data();
    GetParam()->multiply(gemm, scratch.data());
    expect_gemm(c, operands.before, gemm.add, gemm.k,
                [&](int64_t i, int64_t j, int64_t k) { return operands.term(i, j, k); });
  });
}

// In four parts, cut anywhere.
TEST_P(Multiply, CutsDoNotChangeBits) {
  for_every_case([&](const GemmCase& operands) {
    const Gemm& p = operands.gemm;
    Matrix whole = operands.before, parts = operands.before;
    Gemm gemm = p;
    gemm.c = whole.data();
    GetParam()->multiply(gemm, scratch.data());
    const int64_t rows[] = {0, p.m / 3, p.m}, columns[] = {0, p.n / 2 + 1, p.n};
    for (const int part : {0, 1, 2, 3}) {
      const int64_t i = rows[part / 2], j = std::min(columns[part % 2], p.n);
      gemm.m = rows[part / 2 + 1] - i;
      gemm.n = std::min(columns[part % 2 + 1], p.n) - j;
      gemm.a = p.a + (p.transpose_a ? i : i * p.lda);
      gemm.b = p.b + (p.transpose_b ? j * p.ldb : j);
      gemm.c = parts.data() + i * p.ldc + j;
      GetParam()->multiply(gemm, scratch.data());
    }
    EXPECT_TRUE(same_bits(parts.values, whole.values));
  });
}

// At other addresses than B itself; what is packed is not read from B any more.
TEST_P(Multiply, PackingBeforehandDoesNotChangeBits) {
  for_every_case([&](const GemmCase& operands) {
    Matrix plain = operands.before, packed = operands.before;
    Gemm gemm = operands.gemm;
    gemm.c = plain.data();
    GetParam()->multiply(gemm, scratch.data());
    const int64_t size = packed_size(*GetParam(), GemmOperands::kFloat, gemm.n, gemm.k);
    Floats right = filled(static_cast<size_t>(size), std::numeric_limits<float>::quiet_NaN());
    GetParam()->pack(gemm, right.data());
    gemm.packed_b = right.data();
    gemm.b = nullptr;
    gemm.c = packed.data();
    GetParam()->multiply(gemm, scratch.data());
    EXPECT_TRUE(same_bits(packed.values, plain.values));
  });
}

// Fresh memory may hold anything, also what is not a number.
TEST_P(Multiply, ReplacingDoesNotLookAtWhatWasThere) {
  const GemmCase operands({20, 41, 300, 0}, false, true, false);
  Matrix c = operands.before;
  std::fill(c.values.begin(), c.values.end(), std::numeric_limits<float>::quiet_NaN());
  Gemm gemm = operands.gemm;
  gemm.c = c.data();
  GetParam()->multiply(gemm, scratch.data());
  expect_gemm(c, c, false, 300, [&](int64_t i, int64_t j, int64_t k) { return operands.term(i, j, k); });
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(Multiply);

TEST(GemmOnThreads, IsTheSameOnAnyNumberOfThreads) {
  for (const auto& [m, n, k, gap] : {Case{0, 3, 4, 0}, Case{1, 5, 9, 2}, Case{130, 65, 257, 3}, Case{40, 300, 33, 0}}) {
    SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k << ", gap " << gap);
    const GemmCase operands({m, n, k, gap}, false, true, true);
    Matrix c = operands.before;
    with_any_threads([&] {
      c = operands.before;
      Gemm gemm = operands.gemm;
      gemm.c = c.data();
      multiply(choose_kernels(), GemmOperands::kFloat, gemm);
      const auto size = static_cast<size_t>(packed_size(choose_kernels(), GemmOperands::kFloat, n, k));
      Floats packed(size);
      pack(choose_kernels(), GemmOperands::kFloat, gemm, packed.data());
      Matrix again = operands.before;
      gemm.c = again.data();
      gemm.packed_b = packed.data();
      multiply(choose_kernels(), GemmOperands::kFloat, gemm);
      EXPECT_TRUE(same_bits(again.values, c.values));
      return Outputs{{"c", c.values}};
    });
    expect_gemm(c, operands.before, true, k, [&](auto r, auto j, auto i) { return operands.term(r, j, i); });
  }
}

}  // namespace
}  // namespace verbund::gemm_test
