// SPDX-License-Identifier: Apache-2.0
#include "config/source_name.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(SourceName, LettersDigitsAndSigns) {
  for (const char* name : {"a", "News-2.1_b", "."}) EXPECT_TRUE(is_source_name(name)) << name;
  for (const char* name : {"", "a b", "a/b", "ä", "a,b"}) EXPECT_FALSE(is_source_name(name)) << name;
}

TEST(SourceName, OtherCharactersBecomeDashes) {
  EXPECT_EQ(as_source_name("a.b/c"), "a.b-c");
  EXPECT_EQ(as_source_name("a, b"), "a-b");
  EXPECT_EQ(as_source_name("/data/x/"), "data-x");
  EXPECT_EQ(as_source_name("ä"), "corpus");
  EXPECT_EQ(as_source_name("News-1"), "News-1");
}

}  // namespace
}  // namespace verbund
