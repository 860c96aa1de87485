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

Config converted(const std::string& text) {
  Config config;
  load(parse_yaml(convert_opustrainer(parse_yaml(text, "file")), "converted"), config);
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

TEST(OpusTrainer, WhatHasNoCounterpartIsNamed) {
  const std::string text = convert_opustrainer(parse_yaml(kFile, "file"));
  for (const char* part : {"UpperCase", "Typos", "trainer: marian", "num_fields", "inf", "data/medium.gz"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(OpusTrainer, WhatIsWrongIsRefused) {
  const auto convert = [](const std::string& text) { return convert_opustrainer(parse_yaml(text, "file")); };
  EXPECT_ERROR(convert("stages: [a]\na: [x 1]"), UsageError, HasSubstr("datasets"));
  EXPECT_ERROR(convert("datasets: {x: y}"), UsageError, HasSubstr("stages"));
  EXPECT_ERROR(convert("datasets: {x: y}\nstages: [a]"), UsageError, HasSubstr("a is listed"));
  EXPECT_ERROR(convert("datasets: {x: y}\nstages: [a]\na: [z 1]"), UsageError, HasSubstr("file:3"), HasSubstr("z"));
  EXPECT_ERROR(convert("datasets: {x: y}\nstages: [a]\na: [x 0, until x 2]"), UsageError, HasSubstr("stage a"));
  EXPECT_ERROR(convert("datasets: {x: y}\nstages: [a]\na: [x much]"), UsageError, HasSubstr("x much"));
}

}  // namespace
}  // namespace verbund
