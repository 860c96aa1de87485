// SPDX-License-Identifier: Apache-2.0
#include "page/escape.h"

#include <gmock/gmock.h>

namespace verbund {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(escape_html("</td><script>alert('1')</script> & \"x\""),
            "&lt;/td&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;");
  EXPECT_EQ(escape_html("Grüße 你好"), "Grüße 你好");
}

TEST(EscapeHtml, ReplacesWhatIsNoText) {
  EXPECT_EQ(escape_html(std::string_view("a\0b\x1b[2J", 7)), "a\uFFFDb\uFFFD[2J");
  EXPECT_EQ(escape_html("a\xff\xc3"), "a\uFFFD\uFFFD");
  EXPECT_EQ(escape_html("a\u202Ecba"), "a\uFFFDcba");  // turns the direction of what follows
}

TEST(EscapeMarkdown, StaysInItsCell) {
  EXPECT_EQ(escape_markdown("a | b\nc"), "a \\| b c");
  EXPECT_EQ(escape_markdown("# head"), "\\# head");
  EXPECT_EQ(escape_markdown("- item 1"), "\\- item 1");
  EXPECT_EQ(escape_markdown("1. item"), "1\\. item");
  EXPECT_EQ(escape_markdown("0.5 s"), "0.5 s");
  EXPECT_EQ(escape_markdown("BLEU 27.5 - good"), "BLEU 27.5 - good");
  EXPECT_EQ(escape_markdown("<img src=x onerror=y>"), "&lt;img src=x onerror=y&gt;");
  EXPECT_EQ(escape_markdown("[x](javascript:y) ![z](w)"), "\\[x\\](javascript:y) !\\[z\\](w)");
  EXPECT_EQ(escape_markdown("`*_~\\"), "\\`\\*\\_\\~\\\\");
  EXPECT_THAT(escape_markdown("see https://example.org"), Not(HasSubstr("https:")));
}

TEST(EscapeMarkdown, AFenceIsLongerThanWhatItHolds) {
  EXPECT_EQ(markdown_code_block("a ```` b"), "`````\na ```` b\n`````\n");
  EXPECT_EQ(markdown_code_block("a\n"), "```\na\n```\n");
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("äöü", 2), "äö…");
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("a\nb", 9), "a b");
}

}  // namespace
}  // namespace verbund
