// SPDX-License-Identifier: Apache-2.0
#include "score/bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "unit/score/made_statistics.h"

namespace verbund {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

BleuScore bleu_of(const std::string& hypothesis, const std::string& reference, const BleuOptions& options = {}) {
  return corpus_bleu({hypothesis}, {{reference}}, options);
}

// The geometric mean of four precisions in per cent.
double mean_of(double a, double b, double c, double d) { return std::pow(a * b * c * d, 0.25); }

TEST(Bleu, OfACopyIs100) {
  const BleuScore result = bleu_of("Das ist ein Test.", "Das ist ein Test.");
  EXPECT_NEAR(result.score, 100.0, kTolerance);
  EXPECT_THAT(result.statistics.counts, ElementsAre(5, 4, 3, 2));
  EXPECT_THAT(result.statistics.totals, ElementsAre(5, 4, 3, 2));
}

TEST(Bleu, CountsAWordOnlyAsOftenAsTheReferenceHasIt) {
  // The example of Papineni et al.: 2 of 7 words; smoothing makes 0 of 6, 5 and 4 into
  // 1/2, 1/4 and 1/8 matches.
  const BleuScore result = bleu_of("the the the the the the the", "the cat is on the mat");
  EXPECT_THAT(result.statistics.counts, ElementsAre(2, 0, 0, 0));
  EXPECT_THAT(result.statistics.totals, ElementsAre(7, 6, 5, 4));
  EXPECT_THAT(result.precisions,
              ElementsAre(DoubleEq(200.0 / 7), DoubleEq(50.0 / 6), DoubleEq(25.0 / 5), DoubleEq(12.5 / 4)));
  EXPECT_EQ(result.brevity_penalty, 1.0);
  EXPECT_NEAR(result.score, mean_of(200.0 / 7, 50.0 / 6, 25.0 / 5, 12.5 / 4), kTolerance);
}

TEST(Bleu, PunishesAShortHypothesis) {
  const BleuScore result = bleu_of("a b c d", "a b c d e");
  EXPECT_DOUBLE_EQ(result.brevity_penalty, std::exp(-0.25));
  EXPECT_NEAR(result.score, 100.0 * std::exp(-0.25), kTolerance);
  EXPECT_EQ(result.statistics.hypothesis_length, 4);
  EXPECT_EQ(result.statistics.reference_length, 5);
}

TEST(Bleu, SumsSegmentsBeforeItDivides) {
  // 4 + 1 of 5 + 4 words, 3 + 0 of 4 + 3 pairs, 2 + 0 of 3 + 2 triples, 1 + 0 of 2 + 1.
  const BleuScore result = corpus_bleu({"a b c d x", "y z a v"}, {{"a b c d", "a b c d e"}});
  EXPECT_THAT(result.statistics.counts, ElementsAre(5, 3, 2, 1));
  EXPECT_THAT(result.statistics.totals, ElementsAre(9, 7, 5, 3));
  EXPECT_EQ(result.statistics.reference_length, 9);
  EXPECT_NEAR(result.score, mean_of(500.0 / 9, 300.0 / 7, 200.0 / 5, 100.0 / 3), kTolerance);
}

TEST(Bleu, TakesMatchesFromAllReferences) {
  const BleuScore result = corpus_bleu({"a a a b"}, {{"a b"}, {"a a c"}});
  EXPECT_THAT(result.statistics.counts, ElementsAre(3, 2, 0, 0));
  EXPECT_EQ(result.statistics.reference_length, 3);
  EXPECT_THAT(result.signature, testing::StartsWith("nrefs:2|"));
}

TEST(Bleu, TakesTheShorterOfTwoEquallyNearReferences) {
  EXPECT_EQ(corpus_bleu({"a b c"}, {{"a b c d"}, {"a b"}}).statistics.reference_length, 2);
  EXPECT_EQ(corpus_bleu({"a b c"}, {{"a b"}, {"a b c d"}}).statistics.reference_length, 2);
  EXPECT_EQ(corpus_bleu({"a b c"}, {{"a"}, {"a b c d"}}).statistics.reference_length, 4);
}

TEST(BleuSmoothing, None) {
  const BleuScore result = bleu_of("a b c d", "a b x c d", {.smoothing = Smoothing::kNone});
  EXPECT_THAT(result.precisions, ElementsAre(DoubleEq(100.0), DoubleEq(200.0 / 3), 0.0, 0.0));
  EXPECT_EQ(result.score, 0.0);
}

TEST(BleuSmoothing, Floor) {
  const double penalty = std::exp(-0.25);
  EXPECT_NEAR(bleu_of("a b c d", "a b x c d", {.smoothing = Smoothing::kFloor}).score,
              penalty * mean_of(100.0, 200.0 / 3, 10.0 / 2, 10.0), kTolerance);
  EXPECT_NEAR(bleu_of("a b c d", "a b x c d", {.smoothing = Smoothing::kFloor, .smoothing_value = 0.4}).score,
              penalty * mean_of(100.0, 200.0 / 3, 40.0 / 2, 40.0), kTolerance);
}

TEST(BleuSmoothing, AddKLeavesWordsAndTheCountsAsTheyWere) {
  const BleuScore result = bleu_of("a b c d", "a b x c", {.smoothing = Smoothing::kAddK});
  EXPECT_THAT(result.precisions, ElementsAre(75.0, DoubleEq(200.0 / 4), DoubleEq(100.0 / 3), DoubleEq(100.0 / 2)));
  EXPECT_THAT(result.statistics.counts, ElementsAre(3, 1, 0, 0));
  EXPECT_NEAR(bleu_of("a b c d", "a b x c", {.smoothing = Smoothing::kAddK, .smoothing_value = 2}).score,
              mean_of(75.0, 300.0 / 5, 200.0 / 4, 200.0 / 3), kTolerance);
}

TEST(BleuEffectiveOrder, LeavesOutWhatAShortSentenceCannotHave) {
  EXPECT_EQ(bleu_of("a b", "a b").score, 0.0);
  EXPECT_NEAR(bleu_of("a b", "a b", {.effective_order = true}).score, 100.0, kTolerance);
  // Orders 1 and 2 exist: 1 of 2 words, and half a match of 1 pair.
  EXPECT_NEAR(bleu_of("a b", "a c", {.effective_order = true}).score, 50.0, kTolerance);
}

TEST(Bleu, WithoutACommonWordIsZero) {
  const BleuScore result = bleu_of("a b c d", "w x y z v");
  EXPECT_EQ(result.score, 0.0);
  EXPECT_DOUBLE_EQ(result.brevity_penalty, std::exp(-0.25));
  EXPECT_THAT(result.precisions, ElementsAre(0.0, 0.0, 0.0, 0.0));
}

TEST(Bleu, OfEmptyLinesIsZero) {
  EXPECT_EQ(bleu_of("", "a b").score, 0.0);
  EXPECT_EQ(bleu_of("", "a b").brevity_penalty, 0.0);
  EXPECT_EQ(bleu_of("a b", "").score, 0.0);
  EXPECT_EQ(bleu_of("", "").brevity_penalty, 1.0);
}

TEST(Bleu, MayIgnoreCase) {
  EXPECT_THAT(bleu_of("DIE Größe ΟΔΟΣ", "die GRÖSSE οδος").statistics.counts, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(bleu_of("DIE GRÖßE ΟΔΟΣ", "die Größe οδος", {.lowercase = true}).statistics.counts,
              ElementsAre(3, 2, 1, 0));
}

TEST(Bleu, UsesTheTokenizer) {
  EXPECT_EQ(bleu_of("„a“.", "x").statistics.hypothesis_length, 2);
  EXPECT_EQ(bleu_of("„a“.", "x", {.tokenizer = Tokenizer::kInternational}).statistics.hypothesis_length, 4);
  EXPECT_EQ(bleu_of("„a“. ", "x", {.tokenizer = Tokenizer::kNone}).statistics.hypothesis_length, 1);
  EXPECT_EQ(bleu_of("ab 漢", "x", {.tokenizer = Tokenizer::kCharacters}).statistics.hypothesis_length, 3);
}

TEST(Bleu, IgnoresWhitespaceAtTheEndOfALine) {
  // With it, the point would be a token of its own.
  const BleuOptions options = {.tokenizer = Tokenizer::kInternational};
  EXPECT_EQ(bleu_of("1990. \u00A0", "x", options).statistics.hypothesis_length, 1);
}

TEST(BleuSignature, NamesEveryOption) {
  EXPECT_EQ(bleu_of("a", "a").signature, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.5.1");
  const BleuOptions options = {.tokenizer = Tokenizer::kInternational,
                               .lowercase = true,
                               .smoothing = Smoothing::kFloor,
                               .effective_order = true};
  EXPECT_EQ(bleu_of("a", "a", options).signature, "nrefs:1|case:lc|eff:yes|tok:intl|smooth:floor[0.10]|version:2.5.1");
  EXPECT_EQ(bleu_of("a", "a", {.smoothing = Smoothing::kAddK, .smoothing_value = 0.256}).signature,
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[0.26]|version:2.5.1");
}

TEST(BleuSmoothing, HasTheNameOfTheSignature) {
  for (const char* name : {"none", "floor", "add-k", "exp"}) EXPECT_EQ(smoothing_name(smoothing_named(name)), name);
  EXPECT_THROW(smoothing_named("linear"), UsageError);
}

TEST(Bleu, RefusesTextThatIsNotParallel) {
  EXPECT_THROW(corpus_bleu({"a", "b"}, {{"a"}}), Error);
  EXPECT_THROW(corpus_bleu({"a"}, {}), Error);
  EXPECT_THROW(corpus_bleu({}, {{}}), Error);
}

}  // namespace
}  // namespace verbund
