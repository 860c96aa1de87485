// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/plugin_values.h"

#include <gmock/gmock.h>

#include "core/utf8.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

TEST(SampleText, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(escape_for_markdown("Ein Hund läuft, schnell (sehr) - ja!"), "Ein Hund läuft, schnell (sehr) - ja!");
}

TEST(SampleText, HostileTextIsShownAndNotUnderstood) {
  EXPECT_EQ(escape_for_markdown("a <script>alert(1)</script>"), "a &#60;script&#62;alert(1)&#60;/script&#62;");
  EXPECT_EQ(escape_for_markdown("x *b* _i_ `c` [l](u) &lt; a|b"),
            "x &#42;b&#42; &#95;i&#95; &#96;c&#96; &#91;l&#93;(u) &#38;lt; a&#124;b");
}

TEST(SampleText, NoBlockBegins) {
  EXPECT_EQ(escape_for_markdown("# heading"), "&#35; heading");
  EXPECT_EQ(escape_for_markdown("1. item"), "1&#46; item");
  EXPECT_EQ(escape_for_markdown("- item - more"), "&#45; item - more");
  EXPECT_EQ(escape_for_markdown("    code"), "code");
  EXPECT_EQ(escape_for_markdown("a\n- b\r\n\tc"), "a - b   c");
}

TEST(SampleText, AlwaysUtf8) {
  EXPECT_EQ(escape_for_markdown("a\xff"), "a\xef\xbf\xbd");
  std::string longest;
  for (int i = 0; i < 5000; ++i) longest += "ä";
  longest.insert(0, "a");  // the cut is in the middle of a letter
  EXPECT_TRUE(is_utf8(escape_for_markdown(longest)));
  EXPECT_THAT(escape_for_markdown(longest), ::testing::EndsWith(" ..."));
}

TEST(SampleText, ATableWithARowPerSentence) {
  const EventValue value = sample_table({{"s", "r", "<t>"}});
  EXPECT_EQ(value.tag, "samples");
  EXPECT_EQ(value.columns, 3);
  EXPECT_THAT(value.text, ElementsAre("**source**", "**reference**", "**translation**", "s", "r", "&#60;t&#62;"));
}

}  // namespace
}  // namespace verbund
