// SPDX-License-Identifier: Apache-2.0
#include "score/ter.h"

#include <gmock/gmock.h>

#include "score/metric.h"
#include "support/expect_error.h"
#include "unit/score/made_statistics.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TerScore ter_of(const std::string& hypothesis, const Segments& references, const TerOptions& options = {}) {
  References each;
  for (const std::string& reference : references) each.push_back({reference});
  return ter_score(ter_statistics({hypothesis}, each, options)[0], references.size(), options);
}

int64_t edits(const std::string& hypothesis, const std::string& reference) {
  return ter_of(hypothesis, {reference}).statistics.edits;
}

std::string words(int count, int factor, int modulus) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * factor % modulus) + " ";
  return text;
}

std::vector<std::string> tokens(const std::string& line, const TerOptions& options) {
  const std::string text = tokenize_tercom(line, options);
  std::vector<std::string_view> found;
  split_words(text, found);
  return {found.begin(), found.end()};
}

TEST(Ter, CountsInsertionsDeletionsAndSubstitutions) {
  EXPECT_EQ(edits("a b c d", "a b c d"), 0);
  EXPECT_EQ(edits("a x c d", "a b c d"), 1);
  EXPECT_EQ(edits("a c d", "a b c d"), 1);
  EXPECT_EQ(edits("a b b c d", "a b c d"), 1);
  EXPECT_EQ(edits("x y", "a b c d"), 4);
}

TEST(Ter, MovingWordsTogetherIsOneEdit) {
  EXPECT_EQ(edits("a b c d", "d a b c"), 1);
  EXPECT_EQ(edits("c d a b", "a b c d"), 1);
  EXPECT_EQ(edits("x y z w a b", "a b x y z w q"), 2);  // and one word is missing
  EXPECT_EQ(edits("1 2 3 4 5 6 7 8 9 10 11 12", "7 8 9 10 11 12 1 2 3 4 5 6"), 1);
}

TEST(Ter, OfTheArticlesExample) {
  // Snover et al.: a shift of "this week", "the" and "saudis" for "saudi arabia", and "american" is too much.
  const TerScore result = ter_of("saudi arabia denied this week information published in the american new york times",
                                 {"this week the saudis denied information published in the new york times"});
  EXPECT_EQ(result.statistics.edits, 4);
  EXPECT_NEAR(result.score, 100.0 * 4 / 12, kTolerance);
}

// What sacreBLEU gives where limits and the order of search decide.
TEST(Ter, StaysNearTheDiagonalAndFindsTheShiftsOfSacrebleu) {
  EXPECT_EQ(edits("the cat sat on the mat", "on the mat sat the cat"), 2);
  EXPECT_EQ(edits("a b c d e f", "f e d c b a"), 5);
  EXPECT_EQ(edits(words(50, 7, 13), words(45, 5, 13)), 37);
  EXPECT_EQ(edits("q", words(120, 1, 1000)), 120);
  std::string rotated;
  for (int i = 0; i < 60; ++i) rotated += std::to_string((i + 30) % 60) + " ";
  EXPECT_EQ(edits(words(60, 1, 1000), rotated), 60);  // too far for the beam, too long for a shift
}

TEST(Ter, OfNothing) {
  EXPECT_EQ(edits("", "a b"), 2);
  EXPECT_EQ(edits("a b", ""), 2);
  EXPECT_EQ(ter_of("a b", {""}).score, 100.0);
  EXPECT_EQ(ter_of("", {""}).score, 0.0);
}

TEST(Ter, TakesTheNearestReferenceAndTheMeanLength) {
  const TerScore result = ter_of("a b c", {"x y z w q", "a b c d"});
  EXPECT_EQ(result.statistics.edits, 1);
  EXPECT_EQ(result.statistics.reference_length, 4.5);
  EXPECT_THAT(result.signature, HasSubstr("nrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:"));
}

TEST(Ter, SumsBeforeItDivides) {
  const auto metric = make_metric(TerOptions{});
  const StatisticsTable table = metric->statistics({"a b", "a b c d"}, {{"a c", "a b c d e f"}});
  EXPECT_THAT(table.sums(), ElementsAre(3, 8));
  EXPECT_DOUBLE_EQ(metric->score(std::span<const double>(table.sums())), 37.5);
  const ScoreReport report = metric->report(table.sums(), 1);
  EXPECT_EQ(report.name, "TER");
  EXPECT_EQ(report.numbers.dump(), "{\"num_edits\":3,\"ref_length\":8.0}");
}

TEST(Ter, IgnoresCaseUnlessTold) {
  EXPECT_EQ(edits("Das HAUS", "das Haus"), 0);
  EXPECT_EQ(ter_of("Das HAUS", {"das Haus"}, {.case_sensitive = true}).statistics.edits, 2);
}

TEST(Ter, NeedsParallelText) {
  EXPECT_ERROR(ter_statistics({"a"}, {{"a", "b"}}), Error, HasSubstr("1"), HasSubstr("2"));
}

TEST(TercomTokenizer, SetsPunctuationApart) {
  EXPECT_THAT(tokens("Er sagt: \"Hallo, Welt!\" (3.5%, 1990.) John's 10-20 &amp;lt; x", {.normalized = true}),
              ElementsAre("er", "sagt", ":", "\"", "hallo", ",", "welt", "!", "\"", "(", "3.5", "%", ",", "1990", ".",
                          ")", "john", "'s", "10", "-", "20", "<", "x"));
}

TEST(TercomTokenizer, LeavesPunctuationOut) {
  const std::string line = "Er sagt: \"Hallo, Welt!\" (3.5%, 1990.) 10-20";
  EXPECT_THAT(tokens(line, {.no_punctuation = true}),
              ElementsAre("er", "sagt", "hallo", "welt", "35%", "1990", "10-20"));
  EXPECT_THAT(tokens(line, {.normalized = true, .no_punctuation = true}),
              ElementsAre("er", "sagt", "hallo", "welt", "35", "%", "1990", "10", "-", "20"));
}

TEST(TercomTokenizer, KnowsIdeographsIfTold) {
  const std::string line = "私は、学生です。漢字（かな）Ｗｏｒｄ．";
  EXPECT_THAT(tokens(line, {.normalized = true}), ElementsAre("私は、学生です。漢字（かな）ｗｏｒｄ．"));
  EXPECT_THAT(
      tokens(line, {.normalized = true, .asian_support = true}),
      ElementsAre("私", "は", "、", "学", "生", "です", "。", "漢", "字", "（", "かな", "）", "ｗｏｒｄ", "．"));
  EXPECT_THAT(tokens(line, {.no_punctuation = true, .asian_support = true}),
              ElementsAre("私は学生です漢字かなｗｏｒｄ"));
}

}  // namespace
}  // namespace verbund
