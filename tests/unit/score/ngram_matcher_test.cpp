// SPDX-License-Identifier: Apache-2.0
#include "score/ngram_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/random.h"
#include "support/interrupted.h"

namespace verbund {
namespace {

using testing::ElementsAre;

std::vector<int64_t> matches(const Symbols& hypothesis, const std::vector<Symbols>& references, size_t order) {
  std::vector<int64_t> result(order);
  NgramMatcher().add_matches(hypothesis, references, result);
  return result;
}

// The definition, word for word.
std::vector<int64_t> plain_matches(const Symbols& hypothesis, const std::vector<Symbols>& references, size_t order) {
  const auto count = [](const Symbols& symbols, size_t n) {
    std::map<Symbols, int64_t> ngrams;
    for (size_t i = 0; i + n <= symbols.size(); ++i) ++ngrams[Symbols(symbols.begin() + i, symbols.begin() + i + n)];
    return ngrams;
  };
  std::vector<int64_t> result;
  for (size_t n = 1; n <= order; ++n) {
    std::map<Symbols, int64_t> limits;
    for (const Symbols& reference : references) {
      for (const auto& [ngram, times] : count(reference, n)) limits[ngram] = std::max(limits[ngram], times);
    }
    int64_t sum = 0;
    for (const auto& [ngram, times] : count(hypothesis, n)) {
      if (limits.contains(ngram)) sum += std::min(times, limits[ngram]);
    }
    result.push_back(sum);
  }
  return result;
}

TEST(NgramCount, IsZeroForShortSequences) {
  EXPECT_EQ(ngram_count(5, 1), 5);
  EXPECT_EQ(ngram_count(5, 4), 2);
  EXPECT_EQ(ngram_count(5, 5), 1);
  EXPECT_EQ(ngram_count(5, 6), 0);
  EXPECT_EQ(ngram_count(0, 1), 0);
}

TEST(NgramMatcher, FindsAllOfACopy) { EXPECT_THAT(matches({1, 2, 3}, {{1, 2, 3}}, 4), ElementsAre(3, 2, 1, 0)); }

TEST(NgramMatcher, CountsNoMoreThanTheReferenceHas) {
  EXPECT_THAT(matches({7, 7, 7, 7}, {{7, 7, 8}}, 3), ElementsAre(2, 1, 0));
}

TEST(NgramMatcher, TakesTheLargestCountOfAnyReference) {
  // 7 is twice in one reference and once in the other: two may match, not three.
  EXPECT_THAT(matches({7, 7, 7, 9}, {{7, 9}, {7, 7, 8}}, 2), ElementsAre(3, 2));
}

TEST(NgramMatcher, AddsToWhatWasThere) {
  std::vector<int64_t> sum = {10, 20};
  const std::vector<Symbols> references = {{1, 2}};
  NgramMatcher matcher;
  for (int i = 0; i < 2; ++i) matcher.add_matches(Symbols{1, 2}, references, sum);
  EXPECT_THAT(sum, ElementsAre(14, 22));
}

TEST(NgramMatcher, HandlesEmptySequences) {
  EXPECT_THAT(matches({}, {{1}}, 2), ElementsAre(0, 0));
  EXPECT_THAT(matches({1}, {{}}, 2), ElementsAre(0, 0));
  EXPECT_THAT(matches({1}, {}, 2), ElementsAre(0, 0));
  EXPECT_TRUE(matches({1}, {{1}}, 0).empty());
}

TEST(NgramMatcher, AgreesWithTheDefinition) {
  Random random(42, 0);
  NgramMatcher matcher;  // one for all, as in use: nothing of a segment may reach the next
  for (int round = 0; round < 2000; ++round) {
    const uint64_t alphabet = 1 + random.below(20);
    const auto sequence = [&] {
      Symbols symbols(random.below(40));
      for (Symbol& symbol : symbols) symbol = static_cast<Symbol>(random.below(alphabet) * 0x01234567);
      return symbols;
    };
    const Symbols hypothesis = sequence();
    std::vector<Symbols> references(1 + random.below(3));
    std::ranges::generate(references, sequence);
    const size_t order = 1 + random.below(6);
    std::vector<int64_t> found(order);
    matcher.add_matches(hypothesis, references, found);
    ASSERT_EQ(found, plain_matches(hypothesis, references, order)) << "round " << round;
  }
}

// A segment may be as long as a book.
TEST(NgramMatcherDeathTest, HearsCtrlCInsideASegment) {
  const Symbols none, book(10000, 7);
  EXPECT_HEARS_CTRL_C(matches(none, {book}, 4));
  EXPECT_HEARS_CTRL_C(matches(book, {none}, 4));
}

}  // namespace
}  // namespace verbund
