// SPDX-License-Identifier: Apache-2.0
#include "text/parallel_corpus.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> pairs_of(const std::vector<ParallelFiles>& corpora) {
  ParallelReader reader(corpora);
  std::vector<std::string> pairs;
  while (const auto block = reader.next()) {
    for (size_t i = 0; i < block->size(); ++i) {
      pairs.push_back(std::string(block->source(i)) + "|" + std::string(block->target(i)));
    }
  }
  return pairs;
}

TEST(ParallelReader, SeveralCorporaInARow) {
  TemporaryFolder folder;
  const std::string en = folder.write("a.en", "one\ntwo\n"), de = folder.write("a.de", "eins\nzwei\n");
  const std::string tsv = folder.write("b.tsv", "three\tdrei\tscore 0.7\nfour\tvier\n");
  EXPECT_THAT(pairs_of({{en, de, ""}, {"", "", tsv}}),
              ::testing::ElementsAre("one|eins", "two|zwei", "three|drei", "four|vier"));
}

TEST(ParallelReader, BlocksTellTheirLines) {
  TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 10000; ++i) text += std::to_string(i) + "\n";
  const std::string file = folder.write("a", text);
  ParallelReader reader({{file, file, ""}});
  uint64_t expected = 0;
  while (const auto block = reader.next()) {
    EXPECT_EQ(block->line(0), expected + 1);
    EXPECT_EQ(block->source(0), std::to_string(expected));
    expected += block->size();
  }
  EXPECT_EQ(expected, 10000u);
  EXPECT_EQ(reader.position(), reader.total());
}

TEST(ParallelReader, UnequalSidesNameBothCounts) {
  TemporaryFolder folder;
  const std::string three = folder.write("three", "a\nb\nc\n"), five = folder.write("five", "a\nb\nc\nd\ne\n");
  EXPECT_ERROR(pairs_of({{three, five, ""}}), Error, HasSubstr("three has 3"), HasSubstr("five has 5"));
  EXPECT_ERROR(pairs_of({{five, three, ""}}), Error, HasSubstr("three has 3"), HasSubstr("five has 5"));
}

TEST(ParallelReader, TsvNeedsTwoColumns) {
  TemporaryFolder folder;
  const std::string file = folder.write("x.tsv", "a\tb\nonly one\n");
  EXPECT_ERROR(pairs_of({{"", "", file}}), Error, HasSubstr("line 2"), HasSubstr("only one"));
}

TEST(ParallelReader, HalfAPairIsAWrongCall) {
  EXPECT_ERROR(pairs_of({{"a.en", "", ""}}), UsageError, HasSubstr("a.en"));
  EXPECT_ERROR(pairs_of({{"a.en", "a.de", "a.tsv"}}), UsageError, HasSubstr("a.tsv"));
}

}  // namespace
}  // namespace verbund
