// SPDX-License-Identifier: Apache-2.0
#include "mixture/pair_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mixture/prefetch.h"
#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

Split split_of_lengths(const fs::path& folder, const std::string& name, size_t pairs, uint64_t seed) {
  Random random(seed, 0);
  std::vector<uint32_t> lengths;
  std::vector<TokenId> ids;
  for (size_t i = 0; i < 2 * pairs; ++i) {
    lengths.push_back(1 + static_cast<uint32_t>(random.below(12)));
    ids.insert(ids.end(), lengths.back(), 4);
  }
  return made_split(folder, name, 100, ids, lengths);
}

// A large corpus of 500 pairs, a small one of 37.
class PairDrawsTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kLarge = 500, kSmall = 37;

  BatchPlan plan(const EpochDraws& draws, uint64_t seed = 3) const {
    return BatchPlan(set_, {.tokens = 100, .bucket_batches = 2}, seed, draws);
  }

  TemporaryFolder folder_;
  Split large_ = split_of_lengths(folder_.path(), "large", kLarge, 1),
        small_ = split_of_lengths(folder_.path(), "small", kSmall, 2);
  TrainingSet set_ = TrainingSet({{"large", &large_}, {"small", &small_}});
};

TEST_F(PairDrawsTest, RoundsGoOnFromEpochToEpochAndRepeatNoPair) {
  const PairDraws draws(set_, {.pairs = {130, 90}}, 100, true, 5);
  std::vector<std::vector<uint32_t>> drawn(2);
  for (uint64_t epoch = 0; epoch < 10; ++epoch) {
    EXPECT_THAT(draws.before(epoch), ElementsAre(130 * epoch, 90 * epoch));
    Random random(5, epoch);
    for (const uint32_t pair : draws.draw(epoch, random)) drawn[set_.corpus_of(pair)].push_back(pair);
  }
  for (const auto& [pairs, size] : {std::pair(drawn[0], kLarge), std::pair(drawn[1], kSmall)}) {
    std::set<uint32_t> round;
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (i % size == 0) round.clear();
      EXPECT_TRUE(round.insert(pairs[i]).second) << "pair " << pairs[i] << " again at " << i;
    }
    if (pairs.size() < 2 * size) continue;
    EXPECT_NE(
        std::vector(pairs.begin(), pairs.begin() + 10),
        std::vector(pairs.begin() + static_cast<ptrdiff_t>(size), pairs.begin() + static_cast<ptrdiff_t>(size) + 10));
  }
}

TEST_F(PairDrawsTest, OtherCorporaAndOtherEpochsDoNotChangeTheRounds) {
  const auto pairs_of_small = [&](const TrainingSet& set, const EpochDraws& draws, size_t epochs) {
    const PairDraws drawer(set, draws, 100, true, 5);
    std::vector<uint32_t> pairs;
    for (uint64_t epoch = draws.first; epoch < draws.first + epochs; ++epoch) {
      Random random(5, epoch);
      for (const uint32_t pair : drawer.draw(epoch, random)) {
        const size_t corpus = set.corpus_of(pair);
        if (set.corpora()[corpus].name == "small")
          pairs.push_back(pair - static_cast<uint32_t>(set.first_pair(corpus)));
      }
    }
    return pairs;
  };
  const auto expected = pairs_of_small(set_, {.pairs = {10, 60}}, 2);
  EXPECT_EQ(pairs_of_small(set_, {.pairs = {500, 20}}, 6), expected);
  EXPECT_EQ(pairs_of_small(TrainingSet({{"small", &small_}}), {.pairs = {120}}, 1), expected);
  const auto rest = pairs_of_small(set_, {.pairs = {1, 70}, .before = {3, 50}, .first = 9}, 1);
  EXPECT_EQ(rest, std::vector(expected.begin() + 50, expected.end()));
}

TEST_F(PairDrawsTest, BatchesHaveTheDrawsOfTheirEpoch) {
  const BatchPlan mixed = plan({.pairs = {130, 90}});
  for (uint64_t epoch = 0; epoch < 5; ++epoch) {
    std::vector<uint64_t> counts(2, 0);
    for (size_t i = 0; i < mixed.batches(epoch); ++i) {
      uint64_t source = 0, target = 0;
      for (const uint32_t pair : mixed.batch({epoch, i})) {
        ++counts[set_.corpus_of(pair)];
        source += set_.source_length(pair) + 1;
        target += set_.target_length(pair) + 1;
      }
      EXPECT_LE(std::max(source, target), 100u);
    }
    EXPECT_THAT(counts, ElementsAre(130, 90));
  }
  EXPECT_EQ(plan({.pairs = {130, 90}}).batch({3, 1}), mixed.batch({3, 1}));
  EXPECT_NE(plan({.pairs = {130, 90}}, 4).batch({3, 1}), mixed.batch({3, 1}));
}

// What a stage that begins in the middle of an epoch goes on with: nothing that was seen in the same round.
TEST_F(PairDrawsTest, WhatWasDrawnContainsWhatWasSeenAndAtMostAWindowMore) {
  const BatchPlan mixed = plan({.pairs = {400, 30}, .before = {20, 3}, .first = 2});
  std::map<uint32_t, int> seen;
  std::vector<uint64_t> counts = {20, 3};
  for (size_t i = 0; i + 10 < mixed.batches(2); ++i) {
    EXPECT_THAT(mixed.drawn({2, i}), ElementsAre(::testing::Ge(counts[0]), ::testing::Ge(counts[1])));
    EXPECT_LE(mixed.drawn({2, i})[0], counts[0] + 40);  // two batches, of about 15 pairs each
    for (const uint32_t pair : mixed.batch({2, i})) {
      ++counts[set_.corpus_of(pair)];
      ++seen[pair];
    }
  }
  const size_t end = mixed.batches(2) - 10;
  const BatchPlan next = plan({.pairs = {100, 0}, .before = mixed.drawn({2, end}), .first = 3});
  if (next.drawn({3, 0})[0] + 100 > kLarge) GTEST_FAIL() << "a round would begin";
  for (size_t i = 0; i < next.batches(3); ++i) {
    for (const uint32_t pair : next.batch({3, i})) EXPECT_FALSE(seen.contains(pair)) << pair;
  }
  EXPECT_THAT(mixed.drawn({3, 0}), ElementsAre(420, 33));
  EXPECT_THAT(plan({}).drawn({1, 2}), ElementsAre(2 * kLarge, 2 * kSmall));
}

TEST_F(PairDrawsTest, AtTheEndOfAWindowWhatWasDrawnIsWhatWasSeen) {
  const BatchPlan mixed = plan({.pairs = {400, 30}});
  std::vector<uint64_t> counts = {0, 0};
  size_t ends = 0;
  for (size_t i = 0; i + 1 < mixed.batches(0); ++i) {
    if (mixed.drawn({0, i}) != mixed.drawn({0, i + 1})) {
      EXPECT_EQ(mixed.drawn({0, i}), counts) << i;
      ++ends;
    }
    for (const uint32_t pair : mixed.batch({0, i})) ++counts[set_.corpus_of(pair)];
  }
  EXPECT_GE(ends, 3u);
}

TEST_F(PairDrawsTest, AnyNumberOfWorkersSharesTheSameBatches) {
  const BatchPlan mixed = plan({.pairs = {130, 90}});
  for (const int workers : {1, 2, 3, 4}) {
    for (uint64_t i = 0; i < mixed.batches(1); ++i) {
      std::vector<uint64_t> shared;
      for (int rank = 0; rank < workers; ++rank) {
        WorkerBatch part;
        part.fill(mixed, {.rank = rank, .workers = workers}, {1, i});
        EXPECT_EQ(part.global_pairs()[0] + part.global_pairs()[1], mixed.batch({1, i}).size());
        for (const Batch& micro : part.micro_batches()) {
          shared.insert(shared.end(), micro.sentence_ids.begin(), micro.sentence_ids.end());
        }
      }
      std::vector<uint32_t> whole = mixed.batch({1, i});
      std::sort(whole.begin(), whole.end());
      std::sort(shared.begin(), shared.end());
      EXPECT_EQ(shared, std::vector<uint64_t>(whole.begin(), whole.end()));
    }
  }
}

}  // namespace
}  // namespace verbund
