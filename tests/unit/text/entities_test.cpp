// SPDX-License-Identifier: Apache-2.0
#include "text/entities.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(Entities, OfHtml) {
  EXPECT_EQ(decode_entities("&lt;&#228;&#xE4;&auml;&unknown;& &#0;&#xD800;&#99999999;", EntityNames::kHtml),
            "<äää&unknown;& &#0;&#xD800;&#99999999;");
  EXPECT_EQ(decode_entities("a&nbsp;b&shy;&#10;", EntityNames::kHtml), "a\u00a0b\u00ad&#10;");
}

TEST(Entities, OfXmlAreFiveNamesAndAnyNumber) {
  EXPECT_EQ(decode_entities("&amp;&lt;&gt;&quot;&apos;&nbsp;&#10;&#;", EntityNames::kXml), "&<>\"'&nbsp;\n&#;");
}

TEST(Entities, OfMarkupAreWritten) { EXPECT_EQ(encode_entities("<a & b>"), "&lt;a &amp; b&gt;"); }

}  // namespace
}  // namespace verbund
