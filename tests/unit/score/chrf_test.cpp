// SPDX-License-Identifier: Apache-2.0
#include "score/chrf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "unit/score/made_statistics.h"

namespace verbund {

bool operator==(const NgramStatistics& a, const NgramStatistics& b) {
  return a.hypothesis == b.hypothesis && a.reference == b.reference && a.matches == b.matches;
}

void PrintTo(const NgramStatistics& order, std::ostream* out) {
  *out << order.matches << " of " << order.hypothesis << " and " << order.reference;
}

namespace {

using testing::ElementsAre;

ChrfScore chrf_of(const std::string& hypothesis, const std::string& reference, const ChrfOptions& options = {}) {
  return corpus_chrf({hypothesis}, {{reference}}, options);
}

std::vector<NgramStatistics> orders(const std::string& hypothesis, const std::string& reference,
                                    const ChrfOptions& options) {
  return chrf_of(hypothesis, reference, options).statistics.orders;
}

TEST(Chrf, OfACopyIs100) {
  EXPECT_NEAR(chrf_of("Ein Test", "Ein Test").score, 100.0, kTolerance);
  EXPECT_NEAR(chrf_of("ab", "ab").score, 100.0, kTolerance);
}

TEST(Chrf, AveragesTheOrdersThatBothSidesHave) {
  // 2 of 3 characters, 1 of 2 pairs, 0 of 1 triple: precision and recall are 7/18.
  const ChrfScore result = chrf_of("abc", "abd");
  EXPECT_THAT(result.statistics.orders,
              ElementsAre(NgramStatistics{3, 3, 2}, NgramStatistics{2, 2, 1}, NgramStatistics{1, 1, 0},
                          NgramStatistics{}, NgramStatistics{}, NgramStatistics{}));
  EXPECT_NEAR(result.score, 700.0 / 18, kTolerance);
}

TEST(Chrf, WithEpsilonAveragesAllOrders) {
  // F is 2/3, 1/2 and almost nothing in the four others.
  EXPECT_NEAR(chrf_of("abc", "abd", {.eps_smoothing = true}).score, 100.0 * (2.0 / 3 + 1.0 / 2) / 6, kTolerance);
}

TEST(Chrf, BetaWeighsRecall) {
  // Precision 1, recall 1/2.
  EXPECT_NEAR(chrf_of("ab", "abcd", {.char_order = 1}).score, 100.0 * 5 * 0.5 / 4.5, kTolerance);
  EXPECT_NEAR(chrf_of("ab", "abcd", {.char_order = 1, .beta = 1}).score, 100.0 * 2 * 0.5 / 1.5, kTolerance);
}

TEST(Chrf, LeavesOutWhitespaceUnlessAsked) {
  EXPECT_THAT(orders("a\u00A0b ", "ab", {.char_order = 2}),
              ElementsAre(NgramStatistics{2, 2, 2}, NgramStatistics{1, 1, 1}));
  EXPECT_THAT(orders("a b ", "ab", {.char_order = 2, .whitespace = true}),
              ElementsAre(NgramStatistics{4, 2, 2}, NgramStatistics{3, 1, 0}));
}

TEST(Chrf, CountsCharactersAndNotBytes) {
  EXPECT_THAT(orders("äé漢", "éä字", {.char_order = 1}), ElementsAre(NgramStatistics{3, 3, 2}));
}

TEST(Chrf, IgnoresTheHypothesisWhereTheReferenceIsTooShort) {
  EXPECT_THAT(orders("abc", "ab", {.char_order = 3}),
              ElementsAre(NgramStatistics{3, 2, 2}, NgramStatistics{2, 1, 1}, NgramStatistics{0, 0, 0}));
}

TEST(Chrf, MayIgnoreCase) {
  EXPECT_EQ(chrf_of("ÄB", "äb").score, 0.0);
  EXPECT_NEAR(chrf_of("ÄB", "äb", {.lowercase = true}).score, 100.0, kTolerance);
}

TEST(Chrf, OfEmptyLinesIsZero) {
  EXPECT_EQ(chrf_of("", "a").score, 0.0);
  EXPECT_EQ(chrf_of("a", "").score, 0.0);
  EXPECT_EQ(chrf_of("", "").score, 0.0);
}

TEST(Chrf, SumsSegmentsBeforeItDivides) {
  // 1 + 2 of 1 + 3 characters, 1 + 2 of 2 + 2: precision 3/4, recall 3/4.
  const ChrfScore result = corpus_chrf({"a", "bcd"}, {{"ax", "bc"}}, {.char_order = 1});
  EXPECT_THAT(result.statistics.orders, ElementsAre(NgramStatistics{4, 4, 3}));
  EXPECT_NEAR(result.score, 75.0, kTolerance);
}

TEST(Chrf, TakesTheReferenceThatScoresBest) {
  const ChrfScore result = corpus_chrf({"abcd"}, {{"axyz"}, {"abxy"}, {"x"}}, {.char_order = 1});
  EXPECT_THAT(result.statistics.orders, ElementsAre(NgramStatistics{4, 4, 2}));
  EXPECT_NEAR(result.score, 50.0, kTolerance);
}

TEST(ChrfPlusPlus, CountsWordsAndPairsOfWords) {
  const ChrfOptions options = {.char_order = 0, .word_order = 2};
  EXPECT_THAT(orders("ein guter Test", "ein guter Satz", options),
              ElementsAre(NgramStatistics{3, 3, 2}, NgramStatistics{2, 2, 1}));
  EXPECT_EQ(chrf_of("a b", "a b", {.word_order = 2}).name, "chrF2++");
}

TEST(ChrfPlusPlus, CutsPunctuationFromOneEndOfAWord) {
  const ChrfOptions options = {.char_order = 0, .word_order = 1};
  EXPECT_THAT(orders("Test.", "Test .", options), ElementsAre(NgramStatistics{2, 2, 2}));
  EXPECT_THAT(orders("(Test", "( Test", options), ElementsAre(NgramStatistics{2, 2, 2}));
  // "(hi" and ")" against "hi" and ")": the end goes first, and alone.
  EXPECT_THAT(orders("(hi)", "hi )", options), ElementsAre(NgramStatistics{2, 2, 1}));
  EXPECT_THAT(orders("...", ".. .", options), ElementsAre(NgramStatistics{2, 3, 1}));
  EXPECT_THAT(orders("„hi“", "hi", options), ElementsAre(NgramStatistics{1, 1, 0}));
}

TEST(ChrfSignature, NamesEveryOption) {
  EXPECT_EQ(chrf_of("a", "a").signature, "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.5.1");
  const ChrfOptions options = {
      .char_order = 4, .word_order = 1, .beta = 3, .lowercase = true, .whitespace = true, .eps_smoothing = true};
  const ChrfScore result = corpus_chrf({"a"}, {{"a"}, {"b"}}, options);
  EXPECT_EQ(result.signature, "nrefs:2|case:lc|eff:no|nc:4|nw:1|space:yes|version:2.5.1");
  EXPECT_EQ(result.name, "chrF3+");
}

TEST(Chrf, RefusesToCountNothing) {
  EXPECT_THROW(chrf_of("a", "a", {.char_order = 0}), UsageError);
  EXPECT_THROW(chrf_of("a", "a", {.char_order = -1, .word_order = 2}), UsageError);
}

TEST(Chrf, RefusesToAddWhatDiffersInOrders) {
  ChrfStatistics sum = chrf_statistics({"a"}, {{"a"}}, {.char_order = 2})[0];
  EXPECT_THROW(sum += chrf_statistics({"a"}, {{"a"}}, {.char_order = 3})[0], Error);
}

}  // namespace
}  // namespace verbund
