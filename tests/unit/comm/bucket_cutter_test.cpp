#include "comm/bucket_cutter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/chunks.h"
#include "core/random.h"

namespace verbund {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kC = kChunk;

TEST(BucketCutter, CutsFromTheEndAsBackwardGoes) {
  BucketCutter cutter(10 * kC + 5, 4 * kC);
  EXPECT_THAT(cutter.ready({7 * kC, 10 * kC + 5}), IsEmpty());
  // A bucket begins with a chunk: the last one, which is short, goes with three whole ones.
  EXPECT_THAT(cutter.ready({6 * kC - 1, 7 * kC}), ElementsAre(Interval{7 * kC, 10 * kC + 5}));
  EXPECT_THAT(cutter.ready({kC, 6 * kC - 1}), ElementsAre(Interval{3 * kC, 7 * kC}));
  EXPECT_THAT(cutter.rest(), ElementsAre(Interval{0, 3 * kC}));
  EXPECT_THAT(cutter.rest(), IsEmpty());
}

TEST(BucketCutter, APortionMayFillSeveralBuckets) {
  BucketCutter cutter(6 * kC, 2 * kC);
  EXPECT_THAT(cutter.ready({kC + 1, 6 * kC}), ElementsAre(Interval{4 * kC, 6 * kC}, Interval{2 * kC, 4 * kC}));
}

TEST(BucketCutter, WhatReachesTheBeginLeavesToTheLast) {
  BucketCutter cutter(5 * kC, 2 * kC);
  EXPECT_THAT(cutter.ready({0, 5 * kC}), ElementsAre(Interval{3 * kC, 5 * kC}, Interval{kC, 3 * kC}, Interval{0, kC}));
}

TEST(BucketCutter, AnEmbeddingThatIsFinalFirstLeavesAtOnce) {
  // It ends in the middle of a chunk, whose other half is final last.
  BucketCutter cutter(9 * kC, 2 * kC);
  EXPECT_THAT(cutter.ready({0, 3 * kC + 100}), ElementsAre(Interval{kC, 3 * kC}, Interval{0, kC}));
  EXPECT_THAT(cutter.ready({6 * kC, 9 * kC}), ElementsAre(Interval{7 * kC, 9 * kC}));
  EXPECT_THAT(cutter.ready({3 * kC + 100, 6 * kC}), ElementsAre(Interval{5 * kC, 7 * kC}, Interval{3 * kC, 5 * kC}));
  EXPECT_THAT(cutter.rest(), IsEmpty());
}

TEST(BucketCutter, AnEmptyPortionChangesNothing) {
  BucketCutter cutter(3 * kC, kC);
  EXPECT_THAT(cutter.ready({3 * kC, 3 * kC}), IsEmpty());
  EXPECT_EQ(cutter.rest().size(), 3);
}

TEST(BucketCutter, WhateverThePortionsEveryValueLeavesOnceInWholeChunks) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 0);
    const size_t size = kC + random.below(20 * kC), first = random.below(size);
    BucketCutter cutter(size, (1 + random.below(5)) * kC);
    std::vector<Interval> all;
    std::vector<bool> is_final(size, false);
    const auto leave = [&](const std::vector<Interval>& buckets) {
      for (const Interval& bucket : buckets) {
        EXPECT_EQ(bucket.begin % kC, 0);
        EXPECT_TRUE(bucket.end % kC == 0 || bucket.end == size);
        all.push_back(bucket);
        for (size_t i = bucket.begin; i < bucket.end; ++i) ASSERT_TRUE(is_final[i]) << "seed " << seed;
      }
    };
    const auto portion = [&](Interval values) {
      for (size_t i = values.begin; i < values.end; ++i) is_final[i] = true;
      leave(cutter.ready(values));
    };
    portion({0, first});
    for (size_t from = size; from > first;) {
      const size_t next = from - std::min(from - first, random.below(3 * kC));
      portion({next, from});
      from = next;
    }
    leave(cutter.rest());
    size_t values = 0;
    for (const Interval& bucket : all) values += bucket.size();
    EXPECT_EQ(values, size) << "seed " << seed;
    EXPECT_THAT(complement(all, size), IsEmpty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace verbund
