// SPDX-License-Identifier: Apache-2.0
#include "core/yaml_text.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(YamlText, QuotesWhatYamlWouldReadOtherwise) {
  EXPECT_EQ(yaml_quoted("plain"), "\"plain\"");
  EXPECT_EQ(yaml_quoted("a \"b\" \\c"), "\"a \\\"b\\\" \\\\c\"");
  EXPECT_EQ(yaml_quoted("1\n2\t\r\x7f"), "\"1\\n2\\t\\x0d\\x7f\"");
  EXPECT_EQ(yaml_quoted("\u0085\u00a0\u2028ä"), "\"\\x85\u00a0\\u2028ä\"");
  EXPECT_EQ(yaml_quoted("\xff\xc2"), "\"\xff\xc2\"");
}

}  // namespace
}  // namespace verbund
