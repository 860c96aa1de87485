// SPDX-License-Identifier: Apache-2.0
#include "collectives/bucket_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/chunks.h"
#include "core/random.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

// A dense table with its end amid a chunk, rows of it twice, and the rest in two parts.
GradientOrder made_order() {
  GradientOrder order;
  order.size = 20 * kChunk + 77;
  const Interval table = {0, 5 * kChunk + 1000};
  const size_t middle = 11 * kChunk + 5;
  order.lookups = {{table, 8, true}, {table, 8, true}};
  order.events = {{table, {}}, {{middle, order.size}, {}}, {{}, 0}, {{table.end, middle}, {}}, {{}, 1}};
  return order;
}

// In words that a test can compare.
std::string show(const Transfer& transfer) {
  if (transfer.rows) return fmt::format("rows {}", *transfer.rows);
  const bool whole = transfer.values.end % kChunk == 0;
  return fmt::format("{}-{}{}", transfer.values.begin / kChunk, transfer.values.end / kChunk, whole ? "" : "+");
}

std::vector<std::string> take(BucketPlan& plan) {
  std::vector<std::string> taken;
  while (const Transfer* next = plan.take_next()) taken.push_back(show(*next));
  return taken;
}

std::vector<std::string> all_of(BucketPlan plan) {
  plan.restart();
  plan.mark_all_ready();
  return take(plan);
}

TEST(BucketPlan, GoesFromTheLastValueToTheFirstInWholeChunks) {
  const BucketPlan plan(order_without_rows(20 * kChunk + 77), 3 * kChunk);
  EXPECT_THAT(all_of(plan), ::testing::ElementsAre("18-20+", "15-18", "12-15", "9-12", "6-9", "3-6", "0-3"));
}

TEST(BucketPlan, AChunkIsSentWithTheLastOfItsValues) {
  const BucketPlan plan(made_order(), 4 * kChunk);
  EXPECT_THAT(all_of(plan),
              ::testing::ElementsAre("1-5", "0-1", "17-20+", "13-17", "12-13", "rows 0", "8-12", "5-8", "rows 1"));
}

TEST(BucketPlan, ValuesThatTheOrderLacksLeaveOnlyBesideOthers) {
  GradientOrder order;
  order.size = 4 * kChunk;
  order.events = {{{kChunk + 5, 4 * kChunk}, {}}};
  BucketPlan plan(order, 10 * kChunk);
  EXPECT_THAT(all_of(plan), ::testing::ElementsAre("1-4"));
  plan.mark_ready({kChunk + 5, 4 * kChunk});
  EXPECT_THAT(take(plan), ::testing::ElementsAre("1-4"));
}

TEST(BucketPlan, EveryValueLeavesOnceWhateverTheSizeOfBuckets) {
  const GradientOrder order = made_order();
  for (const size_t chunks : {1, 2, 3, 7, 100}) {
    BucketPlan plan(order, chunks * kChunk);
    plan.mark_all_ready();
    std::vector<int> left(order.size);
    size_t rows = 0;
    while (const Transfer* transfer = plan.take_next()) {
      rows += transfer->rows ? 1 : 0;
      EXPECT_EQ(transfer->values.begin % kChunk, 0u);
      EXPECT_LE(transfer->values.size(), chunks * kChunk);
      for (size_t i = transfer->values.begin; i < transfer->values.end; ++i) ++left[i];
    }
    EXPECT_EQ(left, std::vector<int>(order.size, 1)) << chunks;
    EXPECT_EQ(rows, 2u);
  }
}

TEST(BucketPlan, NothingLeavesBeforeItIsReadyAndAllInOneOrderWhateverThePortions) {
  const GradientOrder order = made_order();
  for (const uint64_t seed : {1, 2, 3, 4}) {
    Random random(seed, 0);
    BucketPlan plan(order, 2 * kChunk);
    for (int step = 0; step < 2; ++step) {
      plan.restart();
      std::vector<bool> ready(order.size);
      std::vector<std::string> taken;
      const auto take_all = [&] {
        while (const Transfer* next = plan.take_next()) {
          for (size_t i = next->values.begin; i < next->values.end; ++i) ASSERT_TRUE(ready[i]) << i;
          taken.push_back(show(*next));
        }
      };
      for (const GradientOrder::Event& event : order.events) {
        if (event.rows) plan.mark_rows_ready(*event.rows);
        for (size_t end = event.values.end; end > event.values.begin;) {
          const size_t begin = end - std::min<size_t>(end - event.values.begin, 1 + random.below(3 * kChunk));
          std::fill(ready.begin() + static_cast<ptrdiff_t>(begin), ready.begin() + static_cast<ptrdiff_t>(end), true);
          plan.mark_ready({begin, end});
          end = begin;
          take_all();
        }
        take_all();
      }
      EXPECT_EQ(taken, all_of(plan));
    }
  }
}

TEST(BucketPlan, AllReadyAtOnceKeepsTheOrder) {
  BucketPlan plan(made_order(), 4 * kChunk);
  EXPECT_TRUE(take(plan).empty());
  plan.mark_all_ready();
  EXPECT_EQ(take(plan), all_of(plan));
}

TEST(BucketPlan, ReadyTwiceIsAnError) {
  BucketPlan plan(made_order(), 4 * kChunk);
  plan.mark_ready({0, 100});
  plan.mark_ready({100, kChunk});
  EXPECT_ERROR(plan.mark_ready({99, 101}), Error, ::testing::HasSubstr("[99, 101)"));
}

}  // namespace
}  // namespace verbund
