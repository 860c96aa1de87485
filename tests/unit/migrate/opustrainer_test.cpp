// SPDX-License-Identifier: Apache-2.0
#include "migrate/opustrainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.h"
#include "config/load.h"
#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kFile = R"(
datasets:
  clean: data/clean.tsv
  medium: data/medium.gz
  dirty: data/dirty.tsv
stages: [start, end]
start:
  - clean 0.8
  - medium 0.2
  - dirty 0
  - until clean 2
end:
  mix:
    - medium 1
    - until medium inf
  modifiers:
    - Typos: 0.1
modifiers:
  - UpperCase: 0.05
seed: 1111
trainer: marian -c x.yml
num_fields: 2
)";

std::string yaml_of(const std::string& text, const fs::path& folder = "") {
  return convert_opustrainer(parse_yaml(text, "file"), folder);
}

Config converted(const std::string& text, const fs::path& folder = "") {
  Config config;
  load(parse_yaml(yaml_of(text, folder), "converted"), config);
  return config;
}

TEST(OpusTrainer, StagesBecomeOurs) {
  const Config config = converted(kFile);
  EXPECT_EQ(config.seed, 1111);
  ASSERT_EQ(config.mixture.stages.size(), 2u);
  const StageConfig &start = config.mixture.stages[0], &end = config.mixture.stages[1];
  EXPECT_EQ(start.name, "start");
  EXPECT_THAT(start.weights, ElementsAre(CorpusWeight{"clean", 0.8}, CorpusWeight{"medium", 0.2}));
  EXPECT_EQ(start.epochs, 2);
  EXPECT_EQ(start.of, "clean");
  EXPECT_THAT(end.weights, ElementsAre(CorpusWeight{"medium", 1}));
  EXPECT_FALSE(end.has_end());
}

TEST(OpusTrainer, NamesAndPathsAreText) {
  const Config config =
      converted("datasets: {'true': 'data/a, b #1.tsv', x: y.tsv}\nstages: [s]\ns: [true 1, until true 2]");
  ASSERT_EQ(config.corpus.sources.size(), 2u);
  EXPECT_EQ(config.corpus.sources[0].name, "true");
  EXPECT_EQ(config.corpus.sources[0].train[0].tsv, "data/a, b #1.tsv");
  EXPECT_EQ(config.mixture.stages[0].of, "true");
}

// OpusTrainer looks for datasets from the folder of its file on.
TEST(OpusTrainer, PathsBeginAtTheFolderOfTheFile) {
  const std::string text = "datasets: {a: x.tsv, b: [../y.tsv, /data/z.tsv]}\nstages: [s]\ns: [a 1, b 1, until a 1]";
  const Config config = converted(text, "some/where");
  ASSERT_EQ(config.corpus.sources.size(), 2u);
  EXPECT_EQ(config.corpus.sources[0].train[0].tsv, "some/where/x.tsv");
  ASSERT_EQ(config.corpus.sources[1].train.size(), 2u);
  EXPECT_EQ(config.corpus.sources[1].train[0].tsv, "some/y.tsv");
  EXPECT_EQ(config.corpus.sources[1].train[1].tsv, "/data/z.tsv");
  EXPECT_EQ(converted(text).corpus.sources[0].train[0].tsv, "x.tsv");
}

TEST(OpusTrainer, NamesBecomeThoseOfCorpora) {
  const std::string text =
      "datasets: {a.b/c: x.tsv, 'a.b c': y.tsv, a.b-c: z.tsv}\nstages: [s]\ns: [a.b/c 0.6, a.b-c 0.4, until a.b/c 3]";
  const Config config = converted(text);
  ASSERT_EQ(config.corpus.sources.size(), 3u);
  EXPECT_EQ(config.corpus.sources[0].name, "a.b-c-2");
  EXPECT_EQ(config.corpus.sources[1].name, "a.b-c-3");
  EXPECT_EQ(config.corpus.sources[2].name, "a.b-c");
  const StageConfig& stage = config.mixture.stages.at(0);
  EXPECT_THAT(stage.weights, ElementsAre(CorpusWeight{"a.b-c-2", 0.6}, CorpusWeight{"a.b-c", 0.4}));
  EXPECT_EQ(stage.of, "a.b-c-2");
  EXPECT_THAT(yaml_of(text), HasSubstr("a.b/c"));
}

TEST(OpusTrainer, TheVersionIsAKeyOfOpusTrainer) {
  const std::string text = "datasets: {x: y}\nstages: [a]\na: [x 1, until x 1]\n";
  EXPECT_EQ(yaml_of("version: 1\n" + text), yaml_of(text));
}

TEST(OpusTrainer, WhatHasNoCounterpartIsNamed) {
  const std::string text = yaml_of(kFile);
  for (const char* part : {"UpperCase", "Typos", "trainer: marian", "num_fields", "inf", "data/medium.gz"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(OpusTrainer, WhatIsWrongIsRefused) {
  EXPECT_ERROR(yaml_of("stages: [a]\na: [x 1]"), UsageError, HasSubstr("datasets"));
  EXPECT_ERROR(yaml_of("datasets: {x: y}"), UsageError, HasSubstr("stages"));
  EXPECT_ERROR(yaml_of("datasets: {x: y}\nstages: [a]"), UsageError, HasSubstr("a is listed"));
  EXPECT_ERROR(yaml_of("datasets: {x: y}\nstages: [a]\na: [z 1]"), UsageError, HasSubstr("file:3"), HasSubstr("z"));
  EXPECT_ERROR(yaml_of("datasets: {x: y}\nstages: [a]\na: [x 0, until x 2]"), UsageError, HasSubstr("stage a"));
  EXPECT_ERROR(yaml_of("datasets: {x: y}\nstages: [a]\na: [x much]"), UsageError, HasSubstr("x much"));
  for (const char* end : {"0", "-1", "1.5", "many"}) {  // 0 draws nothing there, and never ends here
    EXPECT_ERROR(yaml_of(fmt::format("datasets: {{x: y}}\nstages: [a]\na: [x 1, until x {}]", end)), UsageError,
                 HasSubstr("file:3"), HasSubstr(end));
  }
  EXPECT_ERROR(yaml_of("datasets: {x: y, z: y}\nstages: [a]\na: [x 1, z 0, until z 1]"), UsageError,
               HasSubstr("stage a"), HasSubstr("z"));
  for (const char* files : {"", "[]", "{p: q}", "[y, [z]]"}) {
    EXPECT_ERROR(yaml_of(fmt::format("datasets: {{x: {}}}\nstages: [a]\na: [x 1]", files)), UsageError,
                 HasSubstr("dataset x"));
  }
  EXPECT_ERROR(yaml_of("version: 2\ndatasets: {x: y}\nstages: [a]\na: [x 1]"), UsageError, HasSubstr("file:1"));
}

}  // namespace
}  // namespace verbund
