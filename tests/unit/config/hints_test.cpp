// SPDX-License-Identifier: Apache-2.0
#include "config/hints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "config/config.h"
#include "config/load.h"
#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::string> all_keys() {
  Config config;
  return collect_keys([&](FieldVisitor& visit) { config.fields(visit); });
}

TEST(Hints, EveryHintLeadsToAKey) {
  const std::vector<std::string> keys = all_keys();
  std::set<std::string> words;
  for (const Hint& hint : config_hints()) {
    const std::string key = hint.key, advice = hint.advice;
    EXPECT_TRUE(words.insert(hint.word).second) << hint.word << " stands here twice";
    EXPECT_EQ(find_hint(config_hints(), hint.word), &hint);
    if (key.empty()) {
      EXPECT_NE(advice, "") << hint.word;
    } else if (hint.is_key()) {
      EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << hint.word << " leads to " << key;
    }
  }
}

TEST(Hints, AdviceWithAValueCanBeFollowed) {
  for (const Hint& hint : config_hints()) {
    const std::string advice = hint.advice, key = std::string(hint.key) + "=";
    const size_t begin = advice.find(key);
    if (key == "=" || begin == std::string::npos) continue;
    EXPECT_NO_THROW(load_config("", {advice.substr(begin, advice.find_first_of(" ,;.", begin + key.size()) - begin)}))
        << advice;
  }
}

// Of each table in docs/from-other-systems.md that begins with a column of Verbund, the other columns.
TEST(Hints, EveryFlagOfTheDocumentedTablesIsKnown) {
  std::set<std::string> known;  // some have the same name here
  for (const std::string& key : all_keys()) known.insert(plain_word(key));
  known.insert({"nbest", "alignment"});  // flags of translate
  std::ifstream page(VERBUND_SOURCE_DIR "/docs/from-other-systems.md");
  const std::regex flag("--[a-z][a-z-]+[a-z]");
  size_t found = 0;
  bool is_table = false;
  for (std::string line; std::getline(page, line);) {
    is_table = line.starts_with("| Verbund |") || (is_table && line.starts_with("|"));
    if (!is_table) continue;
    const std::string others = line.substr(line.find('|', 1));
    for (std::sregex_iterator word(others.begin(), others.end(), flag), end; word != end; ++word, ++found) {
      const std::string name = word->str();
      EXPECT_TRUE(find_hint(config_hints(), name) != nullptr || known.contains(plain_word(name))) << name;
    }
  }
  EXPECT_GT(found, 100u);
}

TEST(Hints, HoweverAWordIsSpelled) {
  for (const char* word : {"mini_batch_words", "mini-batch-words", "--mini-batch-words", "train.Mini-Batch-Words"}) {
    ASSERT_NE(find_hint(config_hints(), word), nullptr) << word;
    EXPECT_STREQ(find_hint(config_hints(), word)->key, "batch.tokens");
  }
  EXPECT_EQ(find_hint(config_hints(), "nonsense"), nullptr);
  EXPECT_EQ(find_hint(config_hints(), ""), nullptr);
}

TEST(Hints, WordsOfOtherSystemsInConfigurations) {
  const auto refusal = [](const std::string& assignment) -> std::string {
    try {
      load_config("", {assignment});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("eval_steps=4000"), AllOf(HasSubstr("eval_steps"), HasSubstr("train.eval_every?")));
  EXPECT_THAT(refusal("train.save_every=5"), HasSubstr("checkpoint.save_every_steps?"));
  EXPECT_THAT(refusal("train.save_every_steps=5"), HasSubstr("checkpoint.save_every_steps?"));
  EXPECT_THAT(refusal("batch_size_per_gpu=64"), HasSubstr("batch.tokens?"));
  EXPECT_THAT(refusal("batch_size_per_gpu=64"), HasSubstr("verbund inspect"));
  EXPECT_THAT(refusal("train.mini-batch-words=9000"), HasSubstr("batch.tokens"));
  EXPECT_THAT(refusal("logdir=x"), HasSubstr("verbund train --run"));
  EXPECT_THAT(refusal("train.dropout=0.1"), HasSubstr("subwords.dropout or model.dropout?"));
  EXPECT_THAT(refusal("train.eval_evry=1"), HasSubstr("train.eval_every?"));
}

}  // namespace
}  // namespace verbund
