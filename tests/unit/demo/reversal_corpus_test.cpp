// SPDX-License-Identifier: Apache-2.0
#include "demo/generated_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/hash.h"

namespace verbund {
namespace {

std::vector<std::string> tokens_of(const std::string& sentence) {
  std::istringstream stream(sentence);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<SentencePair> every_pair(const GeneratedCorpus& corpus) {
  std::vector<SentencePair> pairs = corpus.train;
  pairs.insert(pairs.end(), corpus.dev.begin(), corpus.dev.end());
  pairs.insert(pairs.end(), corpus.test.begin(), corpus.test.end());
  return pairs;
}

TEST(ReversalCorpus, target_is_the_source_backwards) {
  const GeneratedCorpus corpus = reversal_corpus(3, {2000, 100, 100});
  EXPECT_EQ(corpus.train.size(), 2000u);
  EXPECT_EQ(corpus.dev.size(), 100u);
  EXPECT_EQ(corpus.test.size(), 100u);
  for (const SentencePair& pair : every_pair(corpus)) {
    std::vector<std::string> backwards = tokens_of(pair.target);
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(tokens_of(pair.source), backwards);
  }
}

TEST(ReversalCorpus, keeps_to_its_shape_and_uses_all_of_it) {
  const GeneratedCorpus corpus = reversal_corpus(3, {3000, 0, 0}, {.min_length = 2, .max_length = 5, .symbols = 130});
  std::set<size_t> lengths;
  std::set<std::string> symbols;
  for (const SentencePair& pair : corpus.train) {
    const std::vector<std::string> words = tokens_of(pair.source);
    lengths.insert(words.size());
    symbols.insert(words.begin(), words.end());
  }
  EXPECT_THAT(lengths, testing::ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(symbols.size(), 130u);
}

TEST(ReversalCorpus, no_sequence_occurs_twice) {
  std::set<std::string> sources;
  for (const SentencePair& pair : every_pair(reversal_corpus(5, {400, 50, 50}, {2, 3, 10}))) {
    EXPECT_TRUE(sources.insert(pair.source).second) << pair.source;
  }
}

TEST(ReversalCorpus, is_a_pure_function_of_the_seed) {
  EXPECT_EQ(reversal_corpus(5, {50, 5, 5}).train, reversal_corpus(5, {50, 5, 5}).train);
  EXPECT_NE(reversal_corpus(5, {50, 5, 5}).train, reversal_corpus(6, {50, 5, 5}).train);
  std::string text;
  for (const SentencePair& pair : every_pair(reversal_corpus(5, {50, 5, 5}))) text += pair.source + '\n';
  EXPECT_EQ(checksum_of(text), "2a8d631091255c92b2f8063615c6516e");
}

TEST(ReversalCorpus, can_give_away_every_sequence_there_is) {
  const GeneratedCorpus corpus = reversal_corpus(1, {20, 5, 5}, {.min_length = 1, .max_length = 4, .symbols = 2});
  EXPECT_EQ(every_pair(corpus).size(), 30u);  // 2 + 4 + 8 + 16
  const GeneratedCorpus single = reversal_corpus(1, {3, 0, 0}, {.min_length = 1, .max_length = 3, .symbols = 1});
  EXPECT_EQ(single.train.size(), 3u);
}

TEST(ReversalCorpus, refuses_more_than_there_is_and_says_how_many_there_are) {
  try {
    reversal_corpus(1, {30, 5, 5}, {.min_length = 1, .max_length = 4, .symbols = 2});
    FAIL() << "made 40 of 30 sequences";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("only 30 distinct"));
    EXPECT_THAT(error.what(), testing::HasSubstr("40 are asked for"));
  }
}

TEST(ReversalCorpus, refuses_impossible_shapes) {
  EXPECT_THROW(reversal_corpus(1, {1, 0, 0}, {.min_length = 5, .max_length = 4}), UsageError);
  EXPECT_THROW(reversal_corpus(1, {1, 0, 0}, {.min_length = 0, .max_length = 4}), UsageError);
  EXPECT_THROW(reversal_corpus(1, {1, 0, 0}, {.symbols = 0}), UsageError);
}

}  // namespace
}  // namespace verbund
