// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/show.h"
#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Config from_text(const std::string& text) {
  Config config;
  load(parse_yaml(text, "my.yaml"), config);
  return config;
}

TEST(Config, FileThenOverrides) {
  TemporaryFolder folder;
  const auto file = folder.write("c.yaml", "seed: 5\nclean:\n  max_words: 60\n  unicode: nfkc\n");
  const Config config = load_config(file.string(), {"clean.max_words=70", "subwords.joint=false"});
  EXPECT_EQ(config.seed, 5);
  EXPECT_EQ(config.clean.max_words, 70);
  EXPECT_EQ(config.clean.unicode, UnicodeForm::kNfkc);
  EXPECT_EQ(config.clean.min_words, CleanConfig{}.min_words);
  EXPECT_FALSE(config.subwords.joint);
}

TEST(Config, ListsOfFiles) {
  const Config config = from_text("corpus:\n  train:\n    - {source: a.en, target: a.de}\n    - tsv: b.tsv\n");
  ASSERT_EQ(config.corpus.train.size(), 2u);
  EXPECT_EQ(config.corpus.train[0].target, "a.de");
  EXPECT_EQ(config.corpus.train[1].tsv, "b.tsv");
}

TEST(Config, SourcesAndSymbolsAreShownAndReadBack) {
  const Config config = from_text(
      "corpus:\n  sources:\n    - name: a\n      train: [{pairs: a.tmx, columns: [en, 'de-AT']}]\n"
      "      clean: {max_words: 9, unicode: none}\n      tag: <2de>\n    - {name: b, weight: 0.5, clean: {}}\n"
      "subwords:\n  symbols: [\"<2de>\", \"a: b\", '#']\n");
  for (const Config& each : {config, from_text(show(config))}) {
    ASSERT_EQ(each.corpus.sources.size(), 2u);
    const SourceConfig& first = each.corpus.sources[0];
    EXPECT_THAT(first.train.at(0).columns, ::testing::ElementsAre("en", "de-AT"));
    EXPECT_EQ(first.tag, "<2de>");
    CleanConfig clean;
    load(first.clean, clean);
    EXPECT_EQ(clean.max_words, 9);
    EXPECT_EQ(clean.unicode, UnicodeForm::kNone);
    EXPECT_EQ(each.corpus.sources[1].weight, 0.5);
    EXPECT_TRUE(each.corpus.sources[1].clean.map.empty());
    EXPECT_THAT(each.subwords.symbols, ::testing::ElementsAre("<2de>", "a: b", "#"));
  }
  EXPECT_ERROR(from_text("subwords:\n  symbols: <2de>\n"), UsageError, HasSubstr("my.yaml:2"), HasSubstr("list"));
  EXPECT_ERROR(from_text("corpus:\n  sources: [{clean: 7}]\n"), UsageError, HasSubstr("corpus.sources[0].clean"));
}

TEST(Config, UnknownKeyNamesLineAndNearest) {
  EXPECT_ERROR(from_text("seed: 1\nclean:\n  max_word: 3\n"), UsageError, HasSubstr("my.yaml:3"),
               HasSubstr("clean.max_word"), HasSubstr("clean.max_words?"));
  EXPECT_ERROR(from_text("cleen:\n  max_words: 3\n"), UsageError, HasSubstr("my.yaml:1"), HasSubstr("clean?"));
  EXPECT_ERROR(from_text("corpus:\n  train:\n    - {sorce: a}\n"), UsageError, HasSubstr("corpus.train[0].sorce"),
               HasSubstr("corpus.train[0].source?"));
}

TEST(Config, KeyInTheWrongSection) {
  EXPECT_ERROR(from_text("vocabulary: 100\n"), UsageError, HasSubstr("subwords.vocabulary?"));
}

TEST(Config, WrongTypeOrRangeSaysWhatIsAllowed) {
  EXPECT_ERROR(from_text("clean:\n  max_words: many\n"), UsageError, HasSubstr("my.yaml:2"), HasSubstr("\"many\""),
               HasSubstr("from 1 to 100000"));
  EXPECT_ERROR(from_text("clean:\n  max_words: 0\n"), UsageError, HasSubstr("\"0\""));
  EXPECT_ERROR(from_text("clean:\n  max_words: 1.5\n"), UsageError, HasSubstr("\"1.5\""));
  EXPECT_ERROR(from_text("clean:\n  max_ratio: nan\n"), UsageError, HasSubstr("\"nan\""));
  EXPECT_ERROR(from_text("clean:\n  unicode: nfd\n"), UsageError, HasSubstr("none | nfc | nfkc"));
  EXPECT_ERROR(from_text("clean:\n  drop_identical: maybe\n"), UsageError, HasSubstr("true or false"));
  EXPECT_ERROR(from_text("clean: 7\n"), UsageError, HasSubstr("my.yaml:1"), HasSubstr("clean "));
  EXPECT_ERROR(from_text("clean:\n  max_words: [1, 2]\n"), UsageError, HasSubstr("my.yaml:2"),
               HasSubstr("clean.max_words"));
  EXPECT_ERROR(from_text("corpus:\n  train: a.en\n"), UsageError, HasSubstr("corpus.train"), HasSubstr("\"a.en\""));
}

TEST(Config, BrokenYamlNamesTheLine) {
  EXPECT_ERROR(from_text("seed: 1\nclean: [\n"), UsageError, HasSubstr("my.yaml:"));
  EXPECT_ERROR(from_text("seed: 1\nseed: 2\n"), UsageError, HasSubstr("my.yaml:2"), HasSubstr("seed"));
}

TEST(Config, OverridesAreNamedInErrors) {
  EXPECT_ERROR(load_config("", {"clean.max_words=x"}), UsageError, HasSubstr("--set clean.max_words=x"),
               Not(HasSubstr(":1")));
  EXPECT_ERROR(load_config("", {"seed"}), UsageError, HasSubstr("section.key=value"));
}

TEST(Config, WhatIsShownReadsBackTheSame) {
  Config config;
  config.seed = 9;
  config.corpus.name = "a: strange #name";
  config.corpus.train = {{"x.en", "x.de", ""}, {"", "", "y z.tsv"}};
  config.clean.max_ratio = 2.5;
  config.subwords.type = SubwordType::kUnigram;
  const std::string text = show(config);
  EXPECT_EQ(show(from_text(text)), text);
  EXPECT_EQ(show(from_text(show(config, true))), text);
}

TEST(Config, AnyTextIsShownSoThatItReadsBack) {
  std::vector<std::string> texts = {"", " ", "~", "null", "Null", "a\xc2\x85z", "a\u2028z", "a\u2029z", "\ufeffz"};
  for (int c = 0; c < 128; ++c) {
    texts.push_back({static_cast<char>(c)});
    texts.push_back({'a', static_cast<char>(c), 'z'});
  }
  for (const std::string& text : texts) {
    Config config;
    config.corpus.name = text;
    EXPECT_EQ(from_text(show(config)).corpus.name, text) << show(config);
  }
}

TEST(Config, ExplainNamesEveryKey) {
  Config config;
  const std::string text = show(config, true);
  for (const std::string& key : collect_keys([&](FieldVisitor& visit) { config.fields(visit); })) {
    EXPECT_THAT(text, HasSubstr(key.substr(key.rfind('.') + 1) + ":"));
  }
}

}  // namespace
}  // namespace verbund
