// SPDX-License-Identifier: Apache-2.0
#include "demo/generated_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/interrupted.h"

namespace verbund {
namespace {

TEST(GeneratedCorpus, skips_pairs_of_which_either_side_was_seen) {
  const std::vector<SentencePair> drawn = {{"a", "1"}, {"a", "2"}, {"b", "1"}, {"b", "2"}, {"c", "3"}};
  size_t next = 0;
  const GeneratedCorpus corpus = collect_distinct_pairs({1, 1, 1}, "test", [&] { return drawn.at(next++); });
  EXPECT_THAT(corpus.test, testing::ElementsAre(drawn[0]));
  EXPECT_THAT(corpus.dev, testing::ElementsAre(drawn[3]));
  EXPECT_THAT(corpus.train, testing::ElementsAre(drawn[4]));
}

TEST(GeneratedCorpus, ends_when_nothing_new_comes_up) {
  try {
    collect_distinct_pairs({2, 0, 0}, "parrot", [] { return SentencePair{"a", "1"}; });
    FAIL() << "made two of one";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("parrot: found only 1 distinct pairs but 2"));
  }
}

TEST(GeneratedCorpusDeathTest, hears_ctrl_c_between_two_pairs) {
  int drawn = 0;
  EXPECT_HEARS_CTRL_C(collect_distinct_pairs({3, 0, 0}, "test", [&] {
    ++drawn;
    return SentencePair{std::to_string(drawn), std::to_string(drawn)};
  }));
}

}  // namespace
}  // namespace verbund
