// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(Utf8, Valid) {
  for (const char* text : {"", "plain", "Grüße", "日本語", "😀", "\xEF\xBF\xBD", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Utf8, Invalid) {
  for (const char* text : {"\xFC"
                           "ber",
                           "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80",
                           "abc\xC3", "\xE2\x82", "\x80", "\xFF"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(Utf8, CodePointsRoundTrip) {
  const std::string text = "aß€😀";
  const std::u32string code_points = to_code_points(text);
  EXPECT_EQ(code_points, U"aß€😀");
  std::string back;
  for (const char32_t c : code_points) append_code_point(back, c);
  EXPECT_EQ(back, text);
}

TEST(Utf8, Ascii) {
  EXPECT_TRUE(is_ascii("just some longer text, of letters only"));
  EXPECT_FALSE(is_ascii("just some longer text with an ö in it"));
  EXPECT_FALSE(is_ascii("ö"));
}

}  // namespace
}  // namespace verbund
