// SPDX-License-Identifier: Apache-2.0
#include "optim/clip.h"

#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "kernels/kernels.h"
#include "support/buffers.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"

namespace verbund::clip_test {
namespace {

using ::testing::HasSubstr;

using portable::kBlockSize;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Measure, NormAndLargest) {
  const GradientSize size = measure(on_cpu(std::array{3.0f, 0.0f, -4.0f}));
  EXPECT_EQ(size.norm, 5);
  EXPECT_EQ(size.largest, 4);
  EXPECT_TRUE(size.finite());
  EXPECT_EQ(measure(on_cpu(std::span<const float>())).norm, 0);
}

// Every length up to some vectors, and around the block size.
TEST(Measure, EveryLengthCountsEveryValueOnce) {
  std::vector<size_t> lengths = {kBlockSize - 1, kBlockSize, kBlockSize + 1, 3 * kBlockSize + 17};
  for (size_t length = 1; length < 70; ++length) lengths.push_back(length);
  for (const size_t length : lengths) {
    std::vector<float> values = random_values(length, length);
    values[length / 2] = -7;
    long double squares = 0;
    for (const float value : values) squares += static_cast<long double>(value) * value;
    const GradientSize size = measure(on_cpu(values));
    EXPECT_NEAR(size.norm, static_cast<double>(std::sqrt(squares)), 1e-13 * size.norm) << length;
    EXPECT_EQ(size.largest, 7) << length;
  }
}

TEST(Measure, NeitherOverflowsNorVanishes) {
  EXPECT_DOUBLE_EQ(measure(on_cpu(std::vector<float>(4, 3e38f))).norm, 2.0 * 3e38f);
  EXPECT_DOUBLE_EQ(measure(on_cpu(std::vector<float>(4, 1e-30f))).norm, 2.0 * 1e-30f);
  // Single precision would stop growing at 2^24.
  EXPECT_DOUBLE_EQ(measure(on_cpu(std::vector<float>((1 << 24) + 9, 1.0f))).norm, std::sqrt((1 << 24) + 9.0));
}

TEST(Measure, ThreadsDoNotChangeBits) {
  const std::vector<float> values = random_values(20 * kBlockSize + 5, 1);
  std::vector<double> norms;
  for (const int count : {1, 2, 3, 7}) {
    const ThreadCount threads(count);
    norms.push_back(measure(on_cpu(values)).norm);
  }
  EXPECT_THAT(norms, ::testing::Each(norms[0]));
}

TEST(Measure, FindsWhatIsNotFinite) {
  for (const float bad : {kInfinity, -kInfinity, kNan}) {
    for (const size_t at : {size_t{0}, size_t{15}, kBlockSize, 2 * kBlockSize + 3}) {
      std::vector<float> values(2 * kBlockSize + 4, 1.0f);
      values[at] = bad;
      const GradientSize size = measure(on_cpu(values));
      EXPECT_FALSE(size.finite()) << bad << " at " << at;
      EXPECT_FALSE(std::isfinite(size.largest)) << bad << " at " << at;
    }
  }
  EXPECT_EQ(measure(on_cpu(std::array{1.0f, -kInfinity})).norm, kInfinity);
  EXPECT_TRUE(std::isnan(measure(on_cpu(std::array{1.0f, kNan})).norm));
}

TEST(Measure, OnlyTheGivenPieces) {
  const std::array values = {3.0f, 100.0f, kNan, -4.0f, 7.0f};
  const GradientSize size = measure(on_cpu(values), std::array{Interval{0, 1}, Interval{3, 4}});
  EXPECT_EQ(size.norm, 5);
  EXPECT_EQ(size.largest, 4);
  EXPECT_ERROR(measure(on_cpu(values), std::array{Interval{3, 6}}), Error, HasSubstr("[3, 6)"), HasSubstr("5"));
}

TEST(ClipFactor, ShortensOnlyWhatIsTooLong) {
  EXPECT_DOUBLE_EQ(clip_factor(5, 2), 0.4);
  EXPECT_EQ(clip_factor(2, 2), 1);
  EXPECT_EQ(clip_factor(0, 2), 1);
  EXPECT_EQ(clip_factor(1e30, 0), 1);
}

TEST(ClipFactor, RefusesANormThatIsNotFinite) {
  EXPECT_ERROR(clip_factor(kInfinity, 1), Error, HasSubstr("inf"));
  EXPECT_ERROR(clip_factor(kNan, 0), Error, HasSubstr("nan"));
}

}  // namespace
}  // namespace verbund::clip_test
