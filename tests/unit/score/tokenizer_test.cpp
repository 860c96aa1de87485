// SPDX-License-Identifier: Apache-2.0
#include "score/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "score/segments.h"
#include "support/interrupted.h"

namespace verbund {
namespace {

// The tokens with one space between them.
std::string tokens(Tokenizer tokenizer, std::string_view line) {
  const std::string text = tokenize(tokenizer, line);
  std::vector<std::string_view> words;
  split_words(text, words);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string tokens_13a(std::string_view line) { return tokens(Tokenizer::k13a, line); }
std::string tokens_intl(std::string_view line) { return tokens(Tokenizer::kInternational, line); }

TEST(Tokenizer13a, SetsAsciiPunctuationApart) {
  EXPECT_EQ(tokens_13a("Hello, world!"), "Hello , world !");
  EXPECT_EQ(tokens_13a("(a)[b]{c}/d\\e"), "( a ) [ b ] { c } / d \\ e");
  EXPECT_EQ(tokens_13a("5%+x=$3~`^|_"), "5 % + x = $ 3 ~ ` ^ | _");
}

TEST(Tokenizer13a, KeepsApostropheDashAndOtherScripts) {
  EXPECT_EQ(tokens_13a("it's well-known"), "it's well-known");
  EXPECT_EQ(tokens_13a("„Gut“ – sagte 他。"), "„Gut“ – sagte 他。");
}

TEST(Tokenizer13a, KeepsPointsAndCommasInsideNumbers) {
  EXPECT_EQ(tokens_13a("3,000.5 in 1990."), "3,000.5 in 1990 .");
  EXPECT_EQ(tokens_13a("A.5 5.A .5"), "A . 5 5 . A . 5");
}

TEST(Tokenizer13a, SeparatesARowOfPoints) { EXPECT_EQ(tokens_13a("so... 1..2 1...2"), "so . . . 1 . . 2 1 . . .2"); }

TEST(Tokenizer13a, SetsADashBehindADigitApart) { EXPECT_EQ(tokens_13a("10-20 a-5 5-a"), "10 - 20 a-5 5 - a"); }

TEST(Tokenizer13a, ResolvesEntitiesInTheirOrder) {
  EXPECT_EQ(tokens_13a("&quot;x&quot; &amp; &lt;y&gt;"), "\" x \" & < y >");
  EXPECT_EQ(tokens_13a("&amp;lt; &amp;quot; &apos;"), "< & quot ; & apos ;");
}

TEST(Tokenizer13a, JoinsLinesAndDropsTheMarkOfSkippedText) {
  EXPECT_EQ(tokens_13a("Donau-\ndampf\nschiff <skipped>da"), "Donaudampf schiff da");
}

TEST(TokenizerInternational, SetsAnyPunctuationAndSymbolApart) {
  EXPECT_EQ(tokens_intl("„Gut“, sagte er…"), "„ Gut “ , sagte er …");
  EXPECT_EQ(tokens_intl("5€+3£=a°"), "5 € + 3 £ = a °");
  EXPECT_EQ(tokens_intl("他说。well-known it's"), "他说 。 well - known it ' s");
}

TEST(TokenizerInternational, KeepsPunctuationBetweenNumbers) {
  EXPECT_EQ(tokens_intl("3,000.5 ١٬٠٠٠ 10-20"), "3,000.5 ١٬٠٠٠ 10-20");
  EXPECT_EQ(tokens_intl("a.5 5.a"), "a . 5 5 . a");
}

TEST(TokenizerInternational, KeepsThePointBehindANumberAtTheEnd) {
  EXPECT_EQ(tokens_intl("im Jahr 1990."), "im Jahr 1990.");
  EXPECT_EQ(tokens_intl("1990. Dann"), "1990 . Dann");
}

TEST(TokenizerCharacters, MakesEachCharacterAToken) {
  EXPECT_EQ(tokens(Tokenizer::kCharacters, "aß 漢\u00A0e\u0301"), "a ß 漢 e \u0301");
}

TEST(TokenizerNone, OnlySplitsAtWhitespace) { EXPECT_EQ(tokens(Tokenizer::kNone, " a,b &amp; c."), "a,b &amp; c."); }

TEST(Tokenizer, OfNothingGivesNothing) {
  for (const char* name : {"13a", "intl", "none", "char"}) EXPECT_EQ(tokens(tokenizer_named(name), ""), "");
}

TEST(Tokenizer, HasTheNameOfTheSignature) {
  for (const char* name : {"13a", "intl", "none", "char"}) EXPECT_EQ(tokenizer_name(tokenizer_named(name)), name);
  EXPECT_THROW(tokenizer_named("zh"), UsageError);
}

// What punctuation is depends on it: U+20C0 is a currency sign since Unicode 14, U+20C1 since 17.
TEST(Tokenizer, KnowsItsVersionOfUnicode) {
  const double version = std::stod(unicode_version());
  EXPECT_GE(version, 14);
  EXPECT_EQ(tokens(Tokenizer::kInternational, "a\u20C0b"), "a \u20C0 b");
  EXPECT_EQ(tokens(Tokenizer::kInternational, "a\u20C1b"), version < 17 ? "a\u20C1b" : "a \u20C1 b");
}

TEST(TokenizerDeathTest, HearsCtrlCInsideALine) {
  for (const Tokenizer tokenizer : {Tokenizer::k13a, Tokenizer::kInternational}) {
    EXPECT_HEARS_CTRL_C(tokenize(tokenizer, "a line"));
  }
}

}  // namespace
}  // namespace verbund
