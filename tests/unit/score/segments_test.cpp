// SPDX-License-Identifier: Apache-2.0
#include "score/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words = {"left over"};
  split_words(text, words);
  return words;
}

TEST(Whitespace, IsWhatUnicodeCallsSoAndTheSeparatorsOfAscii) {
  std::vector<uint32_t> found;
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (is_whitespace(code_point)) found.push_back(code_point);
  }
  EXPECT_THAT(found, ElementsAre(0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x85, 0xA0, 0x1680, 0x2000,
                                 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                 0x2029, 0x202F, 0x205F, 0x3000));
}

TEST(Whitespace, IsTrimmedAtTheEndOnly) {
  EXPECT_EQ(trim_right(" a b \t\u00A0\u3000\r"), " a b");
  EXPECT_EQ(trim_right("größe"), "größe");
  EXPECT_EQ(trim_right("\u2003 "), "");
  EXPECT_EQ(trim_right(""), "");
}

TEST(Whitespace, SeparatesWords) {
  EXPECT_THAT(words_of("  ein\u00A0Wort\t\u3000und 漢字 "), ElementsAre("ein", "Wort", "und", "漢字"));
  EXPECT_THAT(words_of("ohne"), ElementsAre("ohne"));
  EXPECT_THAT(words_of(" \u2028 "), IsEmpty());
  EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(Whitespace, IsNotTheZeroWidthSpace) { EXPECT_THAT(words_of("a\u200Bb"), ElementsAre("a\u200Bb")); }

TEST(LowerCase, OfAsciiLeavesTheRestAlone) { EXPECT_EQ(lower_case("ABC xyz [@] 09"), "abc xyz [@] 09"); }

TEST(LowerCase, OfOtherLetters) { EXPECT_EQ(lower_case("ÄÖÜẞ ÉŻ ЖД Ωμ"), "äöüß éż жд ωμ"); }

TEST(LowerCase, SigmaAtTheEndOfAWordHasItsOwnForm) {
  EXPECT_EQ(lower_case("ΟΔΟΣ ΟΔΟΣ."), "οδος οδος.");
  EXPECT_EQ(lower_case("ΣΑΣ"), "σας");
  EXPECT_EQ(lower_case("Σ"), "σ");
}

TEST(LowerCase, MayBecomeLonger) {
  EXPECT_EQ(lower_case("İ"), "i\u0307");
  std::string many, expected;
  for (int i = 0; i < 100; ++i) {
    many += "İ";            // 2 bytes
    expected += "i\u0307";  // 3 bytes
  }
  EXPECT_EQ(lower_case(many), expected);
}

TEST(LowerCase, IsNotTurkish) { EXPECT_EQ(lower_case("I ı İ"), "i ı i\u0307"); }

TEST(LowerCase, OfNothingIsNothing) { EXPECT_EQ(lower_case(""), ""); }

}  // namespace
}  // namespace verbund
