// SPDX-License-Identifier: Apache-2.0
// KernelTest and its helpers: one test instance per instruction set, the same bits for any number of threads, and
// comparison with formulas in double precision. Gradients are compared with finite differences of those formulas, so no
// derivative is worked out twice.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "support/buffers.h"

namespace verbund {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Outputs = std::map<std::string, Floats>;  // what a kernel wrote, by name

// The initial value of accumulated outputs: kernels must add to it.
constexpr float kBefore = 2;

inline Floats floats(int64_t count, uint64_t seed, double size = 1) {
  return random_values(static_cast<size_t>(count), seed, size);
}
inline Doubles doubles(const Floats& values) { return {values.begin(), values.end()}; }
inline Floats filled(int64_t count, float value = 0) { return Floats(static_cast<size_t>(count), value); }
inline Floats without_before(Floats values) {
  for (float& value : values) value -= kBefore;
  return values;
}
inline float* data_or_null(Floats& values) { return values.empty() ? nullptr : values.data(); }

inline void PrintTo(const Kernels* kernels, std::ostream* out) { *out << kernels->name; }

// GetParam() is a table of kernels.
class KernelTest : public ::testing::TestWithParam<const Kernels*> {
 public:
  static std::vector<const Kernels*> all() {
    const auto tables = available_kernels();
    return {tables.begin(), tables.end()};
  }
  static std::string name(const ::testing::TestParamInfo<const Kernels*>& info) { return info.param->name; }
};
#define VERBUND_FOR_EVERY_INSTRUCTION_SET(Suite) \
  INSTANTIATE_TEST_SUITE_P(On, Suite, ::testing::ValuesIn(KernelTest::all()), KernelTest::name)

// n rows of sentences with 1, 2, 3, ... tokens.
inline std::vector<TokenPosition> token_positions(int64_t n) {
  std::vector<TokenPosition> positions;
  for (uint32_t length = 1; static_cast<int64_t>(positions.size()) < n; ++length) {
    for (uint32_t position = 0; position < length; ++position) positions.push_back({0x500000000U + length, position});
  }
  positions.resize(static_cast<size_t>(n));
  return positions;
}

// [n, d] multipliers: 0 or the scale; ones without dropout.
inline Doubles mask_of(const Kernels& kernels, const DropoutKey& key, const std::vector<TokenPosition>& positions,
                       int64_t d) {
  Doubles mask;
  Floats row = filled(d);
  for (const TokenPosition& at : positions) {
    kernels.dropout_row(key, at.sentence, at.position, 0, d, row.data());
    mask.insert(mask.end(), row.begin(), row.end());
  }
  return mask;
}

// The outputs of `run`, which must be the same bits with 1, 2 and 3 threads.
template <typename Run>
Outputs with_any_threads(Run run) {
  const auto with = [&](int count) {
    const ThreadCount threads(count);
    return run();
  };
  Outputs first = with(1);
  for (const int count : {2, 3}) {
    for (const auto& [name, values] : with(count)) {
      EXPECT_TRUE(same_bits(values, first.at(name))) << name << " with " << count << " threads";
    }
  }
  return first;
}

// The largest difference, as a share of the largest value or of 1.
inline void expect_near(const Floats& actual, const Doubles& expected, const std::string& what,
                        double tolerance = 2e-6) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double size = 1;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * size) << what << "[" << i << "]";
  }
}

inline double inner_product(const Doubles& a, const Floats& b) {
  EXPECT_EQ(a.size(), b.size());
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

// gradient[i] against the slope of loss() when x[i] moves, for some thirty i all over x. The loss must
// look at x.
template <typename Loss>
void expect_gradient(const Floats& gradient, Doubles& x, Loss loss, const std::string& what, double tolerance = 1e-5) {
  ASSERT_EQ(gradient.size(), x.size()) << what;
  constexpr double kStep = 1e-5;
  double size = 1;
  for (const float value : gradient) size = std::max(size, std::abs(static_cast<double>(value)));
  for (size_t i = 0; i < x.size(); i += 1 + x.size() / 30) {
    const double before = x[i];
    x[i] = before + kStep;
    const double up = loss();
    x[i] = before - kStep;
    const double down = loss();
    x[i] = before;
    ASSERT_NEAR(gradient[i], (up - down) / (2 * kStep), tolerance * size) << what << "[" << i << "]";
  }
}

}  // namespace verbund
