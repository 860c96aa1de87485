// SPDX-License-Identifier: Apache-2.0
#include "mixture/batch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include "core/error.h"
#include "core/random.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Lengths = std::vector<uint32_t>;  // source, target, source, ...
using Pairs = std::vector<uint32_t>;
using Batches = std::vector<Pairs>;

class BatchPlanTest : public ::testing::Test {
 protected:
  Split split_of(const Lengths& lengths) {
    const std::string name = "split" + std::to_string(++splits_);
    const std::vector<TokenId> ids(std::reduce(lengths.begin(), lengths.end()), 4);
    return made_split(folder_.path(), name, 100, ids, lengths);
  }

  // Source lengths of 0 to 59, target lengths that are near to them.
  Split random_split(size_t pairs) {
    Lengths lengths;
    Random random(99, 0);
    for (size_t i = 0; i < pairs; ++i) {
      lengths.push_back(static_cast<uint32_t>(random.below(60)));
      lengths.push_back(lengths.back() * 3 / 4 + static_cast<uint32_t>(random.below(15)));
    }
    return split_of(lengths);
  }

  TemporaryFolder folder_;
  int splits_ = 0;
};

Batches epoch_of(const BatchPlan& plan, uint64_t epoch) {
  Batches batches;
  for (size_t i = 0; i < plan.batches(epoch); ++i) {
    batches.push_back(plan.batch({epoch, i}));
  }
  return batches;
}

Pairs sorted_pairs(const Batches& batches) {
  Pairs all;
  for (const Pairs& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  return all;
}

Pairs zero_to(size_t end) {
  Pairs numbers(end);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

uint64_t source_tokens(const Split& split, PairIds pairs) {
  uint64_t sum = 0;
  for (const uint32_t pair : pairs) sum += split.source_length(pair) + 1;
  return sum;
}

uint64_t target_tokens(const Split& split, PairIds pairs) {
  uint64_t sum = 0;
  for (const uint32_t pair : pairs) sum += split.target_length(pair) + 1;
  return sum;
}

// The mean over batches of the difference between the longest and the shortest target.
double length_spread(const Split& split, const Batches& batches) {
  double sum = 0;
  for (const Pairs& batch : batches) {
    const auto [shortest, longest] = std::minmax_element(batch.begin(), batch.end(), [&](uint32_t a, uint32_t b) {
      return split.target_length(a) < split.target_length(b);
    });
    sum += split.target_length(*longest) - split.target_length(*shortest);
  }
  return sum / static_cast<double>(batches.size());
}

TEST_F(BatchPlanTest, IsAFunctionOfSeedAndEpoch) {
  const Split split = random_split(2000);
  const BatchConfig config = {.tokens = 500};
  const BatchPlan plan(split, config, 7);
  const Batches first = epoch_of(plan, 0), second = epoch_of(plan, 1);
  EXPECT_NE(first, second);
  EXPECT_NE(first, epoch_of(BatchPlan(split, config, 8), 0));
  EXPECT_NE(second, epoch_of(BatchPlan(split, config, 8), 0));  // seed and epoch are not added up

  const BatchPlan again(split, config, 7);
  EXPECT_EQ(epoch_of(again, 1), second);  // without the epochs before
  EXPECT_EQ(epoch_of(again, 3), epoch_of(plan, 3));
  EXPECT_EQ(epoch_of(again, 0), first);  // and backwards
}

// Resumed runs rely on it: whoever changes these numbers changes every run.
TEST_F(BatchPlanTest, StaysWhatItIs) {
  const Split split = split_of({3, 3, 1, 2, 5, 4, 2, 2, 4, 5, 1, 1, 3, 2, 2, 3});
  const BatchPlan plan(split, {.tokens = 8, .bucket_batches = 2}, 1);
  EXPECT_EQ(epoch_of(plan, 0), (Batches{{6, 7}, {2, 1}, {5, 3}, {0}, {4}}));
  EXPECT_EQ(epoch_of(plan, 1), (Batches{{6, 1, 5}, {3, 7}, {0}, {4}, {2}}));
}

TEST_F(BatchPlanTest, EveryPairOnceAnEpochWithinTheBudget) {
  const Split split = random_split(3000);
  for (const int64_t bucket_batches : {0, 1, 3, 1000}) {
    for (const bool shuffled : {false, true}) {
      const BatchConfig config = {.tokens = 400, .bucket_batches = bucket_batches, .shuffle = shuffled};
      const BatchPlan plan(split, config, 5);
      for (const uint64_t epoch : {0, 1, 2}) {
        const Batches batches = epoch_of(plan, epoch);
        EXPECT_EQ(sorted_pairs(batches), zero_to(split.size()));
        for (const Pairs& batch : batches) {
          ASSERT_FALSE(batch.empty());
          EXPECT_LE(source_tokens(split, batch), 400u);
          EXPECT_LE(target_tokens(split, batch), 400u);
        }
      }
    }
  }
}

TEST_F(BatchPlanTest, BatchesAreFull) {
  const Split split = random_split(3000);
  for (const int64_t bucket_batches : {0, 1, 3, 1000}) {
    const BatchPlan plan(split, {.tokens = 400, .bucket_batches = bucket_batches}, 5);
    int loose = 0;
    for (const Pairs& batch : epoch_of(plan, 0)) {
      // No pair has more than 60 tokens a side, so only the end of the data leaves that much.
      if (std::max(source_tokens(split, batch), target_tokens(split, batch)) <= 340) ++loose;
    }
    EXPECT_LE(loose, 1) << bucket_batches;
  }
}

TEST_F(BatchPlanTest, LongPairsAreDroppedAndCounted) {
  //                             0      1      2      3      4
  const Split split = split_of({9, 9, 10, 1, 1, 10, 0, 0, 50, 50});
  const BatchPlan plan(split, {.max_length = 10}, 1);  // with </s>: nine pieces
  EXPECT_EQ(plan.dropped_pairs(), 3u);
  EXPECT_EQ(plan.pairs(), 2u);
  EXPECT_THAT(sorted_pairs(epoch_of(plan, 0)), ElementsAre(0, 3));

  const BatchPlan all(split, {.max_length = INT64_MAX}, 1);
  EXPECT_EQ(all.dropped_pairs(), 0u);
  EXPECT_THAT(sorted_pairs(epoch_of(all, 0)), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(BatchPlanTest, APairAboveTheBudgetIsABatchOfItsOwn) {
  const Split split = split_of({3, 3, 30, 3, 3, 3, 3, 30, 3, 3});
  const BatchPlan plan(split, {.tokens = 20, .bucket_batches = 0, .shuffle = false}, 1);
  EXPECT_THAT(epoch_of(plan, 0),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3), ElementsAre(4)));
  const BatchPlan sorted(split, {.tokens = 20, .bucket_batches = 100, .shuffle = false}, 1);
  EXPECT_THAT(epoch_of(sorted, 0), ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1), ElementsAre(3)));
}

TEST_F(BatchPlanTest, TheSourceSideHasTheSameBudget) {
  const Split split = split_of({9, 0, 9, 0, 9, 0, 9, 0, 9, 0});
  const BatchPlan plan(split, {.tokens = 20, .bucket_batches = 0, .shuffle = false}, 1);
  EXPECT_THAT(epoch_of(plan, 0), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
}

TEST_F(BatchPlanTest, BucketsHoldSimilarLengths) {
  const Split split = random_split(5000);
  const auto spread = [&](int64_t bucket_batches) {
    const BatchPlan plan(split, {.tokens = 1000, .bucket_batches = bucket_batches}, 3);
    return length_spread(split, epoch_of(plan, 0));
  };
  const double mixed = spread(0), some = spread(8), all = spread(100000);
  EXPECT_GT(mixed, 40);
  EXPECT_LT(some, mixed / 4);
  EXPECT_LT(all, some / 4);
}

TEST_F(BatchPlanTest, EqualLengthsAreMixedAnewEveryEpoch) {
  const Split split = split_of(Lengths(400, 9));  // all 200 pairs alike, all in one window
  const BatchPlan plan(split, {.tokens = 100, .bucket_batches = 1000}, 3);
  const auto groups = [&](uint64_t epoch) {
    std::set<Pairs> sets;
    for (Pairs batch : epoch_of(plan, epoch)) {
      std::sort(batch.begin(), batch.end());
      sets.insert(batch);
    }
    return sets;
  };
  EXPECT_THAT(groups(0), SizeIs(20));
  std::set<Pairs> both = groups(0);
  both.merge(groups(1));
  EXPECT_THAT(both, SizeIs(40));
}

TEST_F(BatchPlanTest, LongAndShortBatchesComeInRandomOrder) {
  const Split split = random_split(5000);
  const Batches batches = epoch_of(BatchPlan(split, {.tokens = 1000, .bucket_batches = 100000}, 3), 0);
  int rising = 0;
  for (size_t i = 1; i < batches.size(); ++i) {
    if (split.target_length(batches[i][0]) > split.target_length(batches[i - 1][0])) ++rising;
  }
  EXPECT_NEAR(rising / static_cast<double>(batches.size()), 0.5, 0.1);
}

TEST_F(BatchPlanTest, WithoutShuffleInTheOrderOfTheDataset) {
  const Split split = random_split(1000);
  const BatchPlan plan(split, {.tokens = 300, .bucket_batches = 0, .shuffle = false}, 3);
  Pairs all;
  for (const Pairs& batch : epoch_of(plan, 0)) all.insert(all.end(), batch.begin(), batch.end());
  EXPECT_EQ(all, zero_to(1000));
  EXPECT_EQ(epoch_of(plan, 1), epoch_of(plan, 0));
}

TEST_F(BatchPlanTest, PositionsGoOnIntoTheNextEpoch) {
  const Split split = random_split(100);
  const BatchPlan plan(split, {.tokens = 500}, 3);
  BatchPosition position;
  for (uint64_t i = 0; i < plan.batches(0); ++i) {
    EXPECT_EQ(position, (BatchPosition{0, i}));
    position = plan.after(position);
  }
  EXPECT_EQ(position, (BatchPosition{1, 0}));
}

TEST_F(BatchPlanTest, SeveralThreadsMayAsk) {
  const Split split = random_split(500);
  const BatchPlan plan(split, {.tokens = 500}, 3), alone(split, {.tokens = 500}, 3);
  std::vector<std::thread> threads;
  for (const uint64_t epoch : {0, 1, 2}) {  // the plan keeps only two at a time
    threads.emplace_back([&plan, epoch, expected = epoch_of(alone, epoch)] {
      for (int i = 0; i < 5; ++i) EXPECT_EQ(epoch_of(plan, epoch), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(BatchPlanTest, WhatCannotBePlannedIsRefused) {
  const Split split = split_of({20, 3, 3, 20});
  EXPECT_ERROR(BatchPlan(split, {.tokens = 0}, 1), UsageError, HasSubstr("batch.tokens"));
  EXPECT_ERROR(BatchPlan(split, {.max_length = 20}, 1), Error, HasSubstr("2 pairs, 2"),
               HasSubstr("batch.max_length = 20"));
  EXPECT_ERROR(BatchPlan(split_of({}), {}, 1), Error, HasSubstr("0 pairs"));
  const BatchPlan plan(split, {}, 1);
  EXPECT_ERROR(plan.batch({3, 1}), Error, HasSubstr("batch 1"), HasSubstr("epoch 3"));
}

TEST_F(BatchPlanTest, SlicesShareABatchEvenly) {
  const Split split = random_split(600);
  const BatchPlan plan(split, {.tokens = 2000}, 2);
  for (const Pairs& batch : epoch_of(plan, 0)) {
    uint64_t costliest = 0;
    for (const uint32_t pair : batch) costliest = std::max(costliest, pair_cost(split, pair));
    for (int workers = 1; workers <= 7; ++workers) {
      const Batches slices = slice(batch, split, workers);
      ASSERT_THAT(slices, SizeIs(static_cast<size_t>(workers)));
      EXPECT_EQ(slice(batch, split, workers), slices);
      EXPECT_EQ(sorted_pairs(slices), sorted_pairs({batch}));
      std::vector<uint64_t> costs;
      for (const Pairs& pairs : slices) {
        costs.push_back(0);
        for (const uint32_t pair : pairs) costs.back() += pair_cost(split, pair);
        EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end(),
                                   [&](uint32_t a, uint32_t b) { return pair_cost(split, a) > pair_cost(split, b); }));
      }
      const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
      EXPECT_LE(*most - *least, costliest);
    }
  }
}

TEST_F(BatchPlanTest, SlicesByHand) {
  //                             0     1     2     3     4     costs 6, 30, 15, 9, 12
  const Split split = split_of({1, 1, 9, 9, 4, 4, 2, 2, 3, 3});
  EXPECT_THAT(slice(Pairs{0, 1, 2, 3, 4}, split, 2), ElementsAre(ElementsAre(1, 0), ElementsAre(2, 4, 3)));
}

TEST_F(BatchPlanTest, FewerPairsThanWorkers) {
  const Split split = split_of({5, 5, 8, 8});
  EXPECT_THAT(slice(Pairs{0, 1}, split, 4), ElementsAre(ElementsAre(1), ElementsAre(0), IsEmpty(), IsEmpty()));
  EXPECT_THAT(slice(Pairs{}, split, 2), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_F(BatchPlanTest, MicroBatchesAreThePiecesOfASlice) {
  const Split split = random_split(300);
  const Pairs pairs = slice(zero_to(300), split, 2)[0];
  for (const int64_t limit : {1, 60, 200, 1000, 1000000}) {
    Pairs joined;
    for (const PairIds piece : micro_batches(pairs, split, limit)) {
      ASSERT_FALSE(piece.empty());
      if (piece.size() > 1) {
        EXPECT_LE(source_tokens(split, piece), static_cast<uint64_t>(limit));
        EXPECT_LE(target_tokens(split, piece), static_cast<uint64_t>(limit));
      }
      joined.insert(joined.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(joined, pairs);
  }
  EXPECT_THAT(micro_batches(pairs, split, 1), SizeIs(pairs.size()));
  EXPECT_THAT(micro_batches(pairs, split, 0), SizeIs(1));
  EXPECT_THAT(micro_batches({}, split, 10), IsEmpty());
}

}  // namespace
}  // namespace verbund
