// SPDX-License-Identifier: Apache-2.0
#include "page/curve.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

namespace verbund {
namespace {

std::vector<double> count_up(size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TEST(Buckets, KeepEverySpikeOfALongSeries) {
  std::vector<double> y(300000, 1.0);
  y[123456] = 99;
  y[7] = -5;
  const std::vector<Bucket> buckets = into_buckets(count_up(y.size()), y, 600);
  EXPECT_LE(buckets.size(), 600u);
  double low = 0, high = 0;
  for (const Bucket& bucket : buckets) low = std::min(low, bucket.low), high = std::max(high, bucket.high);
  EXPECT_EQ(low, -5);
  EXPECT_EQ(high, 99);
  EXPECT_EQ(buckets.back().x, 299999);
  EXPECT_EQ(buckets.back().last, 1);
}

TEST(Buckets, OfAShortSeriesAreItsValues) {
  const std::vector<Bucket> buckets = into_buckets({1, 2, 4}, {5, 6, 7}, 600);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[2].x, 4);
  EXPECT_EQ(buckets[2].low, 7);
  EXPECT_FALSE(buckets[1].gap_before);
}

TEST(Buckets, EndAtAGap) {
  const std::vector<Bucket> buckets = into_buckets({1, 2, 3, 4}, {NAN, 1, INFINITY, 2}, 1);
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_FALSE(buckets[0].gap_before);
  EXPECT_TRUE(buckets[1].gap_before);
}

TEST(Smoothed, IsTheMeanOfAsManyBeforeAsAfter) {
  const std::vector<double> values = smoothed({9, 1, 2, 6, 7}, 1);
  EXPECT_DOUBLE_EQ(values[0], 9);
  EXPECT_DOUBLE_EQ(values[1], 4);
  EXPECT_DOUBLE_EQ(values[2], 3);
  EXPECT_DOUBLE_EQ(values[4], 7);
}

TEST(Smoothed, DoesNotLagBehindAndBeginsWithTheCurve) {
  const std::vector<double> straight = count_up(101);
  EXPECT_EQ(smoothed(straight, 10), straight);
}

TEST(Smoothed, LeavesOutWhatIsNoNumber) {
  const std::vector<double> values = smoothed({1, NAN, 5, 1, 1}, 2);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_DOUBLE_EQ(values[2], 2);
}

TEST(Noise, IsWhatGoesUpAndDown) {
  std::vector<double> noisy, straight = count_up(100), flat(100, 2.0);
  for (int i = 0; i < 100; ++i) noisy.push_back(i + (i % 2 == 0 ? 3 : -3));
  EXPECT_TRUE(is_noisy(noisy));
  EXPECT_FALSE(is_noisy(straight));
  EXPECT_FALSE(is_noisy(flat));
  EXPECT_FALSE(is_noisy({1, 2, 1, 2}));  // too few to say
}

}  // namespace
}  // namespace verbund
