// SPDX-License-Identifier: Apache-2.0
#include "config/flag_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string> kTrain = {"--help", "--data", "--run", "--config", "--set", "--resume"};
const std::vector<std::string> kPrepare = {"--help", "--out", "--source", "--target", "--dev-source", "--set"};
const std::vector<std::string> kExport = {"--help", "--model", "--format", "--out"};

std::string suggestion(const std::vector<std::string>& flags, const std::vector<std::string>& arguments) {
  const std::optional<UnknownArgument> unknown = find_unknown(arguments, flags);
  return unknown ? unknown->suggestion : "all are known";
}

TEST(FlagHints, AKeyOfTheConfigurationIsSet) {
  EXPECT_EQ(suggestion(kTrain, {"--beam", "8"}), "did you mean --set decode.beam=8?");
  EXPECT_EQ(suggestion(kTrain, {"--epochs=3"}), "did you mean --set train.epochs=3?");
  EXPECT_EQ(suggestion(kTrain, {"--data", "d", "--seed", "3", "--run", "r"}), "did you mean --set seed=3?");
  EXPECT_EQ(suggestion(kTrain, {"--warmup-steps", "--run"}), "did you mean --set schedule.warmup_steps=...?");
  EXPECT_THAT(suggestion(kTrain, {"--dropout", "0.2"}), HasSubstr("--set model.dropout=0.2"));
}

TEST(FlagHints, WordsOfOtherSystems) {
  EXPECT_THAT(suggestion(kPrepare, {"--src", "a.en"}), HasSubstr("did you mean --source?"));
  EXPECT_THAT(suggestion(kPrepare, {"-src", "a.en"}), HasSubstr("did you mean --source?"));
  EXPECT_THAT(suggestion(kPrepare, {"--trainpref", "data/train"}),
              AllOf(HasSubstr("--source data/train.en"), HasSubstr("--target data/train.de")));
  EXPECT_EQ(suggestion(kPrepare, {"--destdir", "bin"}), "did you mean --out?");
  EXPECT_THAT(suggestion(kTrain, {"--workers", "2"}), HasSubstr("verbund launch -n"));
  EXPECT_EQ(suggestion(kTrain, {"--num_train_epochs", "3"}), "did you mean --set train.epochs=3?");
  EXPECT_EQ(suggestion(kTrain, {"--max-update", "100"}), "did you mean --set train.max_steps=100?");
  EXPECT_THAT(suggestion(kTrain, {"--max-tokens", "4096"}), HasSubstr("--set batch.tokens=...?")) << "it counts others";
}

TEST(FlagHints, AssignmentsWithoutSet) {
  EXPECT_EQ(suggestion(kTrain, {"train.step=10"}), "did you mean --set train.max_steps=10?");
  EXPECT_EQ(suggestion(kTrain, {"train.max_steps=10"}), "did you mean --set train.max_steps=10?");
  EXPECT_EQ(suggestion(kTrain, {"beam=4"}), "did you mean --set decode.beam=4?");
  EXPECT_EQ(suggestion(kTrain, {"train.max_stesp=10"}), "did you mean --set train.max_steps=10?");
  EXPECT_EQ(suggestion(kTrain, {"--set", "train.max_steps=10"}), "all are known");
  EXPECT_EQ(suggestion(kExport, {"train.max_steps=10"}), "all are known") << "it has no --set";
}

TEST(FlagHints, MistypedFlags) {
  EXPECT_EQ(suggestion(kTrain, {"--dta", "x"}), "did you mean --data?");
  EXPECT_EQ(suggestion(kExport, {"--modle", "x"}), "did you mean --model?");
  EXPECT_EQ(suggestion(kExport, {"--completely-else"}), "");
  EXPECT_EQ(suggestion(kTrain, {"-n2", "--data", "x", "-q"}), "all are known");
}

}  // namespace
}  // namespace verbund
