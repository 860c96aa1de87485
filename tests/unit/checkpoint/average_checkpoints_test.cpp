// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/average_checkpoints.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint_store.h"
#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "core/json.h"
#include "support/expect_error.h"
#include "support/flip_bit.h"
#include "support/temporary_folder.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A checkpoint of one tensor, with or without an exponential average of it.
void write_model(const fs::path& checkpoints, int64_t step, std::vector<float> weights, std::vector<float> average = {},
                 const std::string& tensor = "w", const std::string& state = "{}") {
  CheckpointSnapshot snapshot;
  snapshot.step = step;
  snapshot.weights = {view_tensor<float>(tensor, {static_cast<int64_t>(weights.size())}, weights)};
  if (!average.empty()) {
    snapshot.average = {view_tensor<float>(tensor, {static_cast<int64_t>(average.size())}, average)};
  }
  snapshot.optimizer = snapshot.weights;
  snapshot.state_json = state;
  snapshot.config_yaml = fmt::format("seed: {}\n", step);
  write_checkpoint(checkpoints / step_folder_name(step), snapshot);
}

std::vector<float> saved_weights(const fs::path& folder) {
  const Checkpoint checkpoint(folder);
  const TensorView& tensor = checkpoint.weights().at("w");
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  copy_tensor<float>(tensor, values);
  return values;
}

TEST(CheckpointMean, IsTheMeanOfTheWeights) {
  TemporaryFolder folder;
  write_model(folder.path(), 10, {1, -4, 0.5});
  write_model(folder.path(), 20, {2, 4, 0.25});
  write_model(folder.path(), 30, {6, 3, -1});
  const CheckpointMean mean(last_checkpoints(folder.path(), 3));
  EXPECT_FALSE(mean.exponential());
  save_mean(folder / "average", mean, "test");
  EXPECT_THAT(saved_weights(folder / "average"), ElementsAre(3.0f, 1.0f, static_cast<float>(-0.25 / 3)));

  const Checkpoint saved(folder / "average");
  EXPECT_EQ(saved.step(), 30);
  EXPECT_EQ(saved.config_yaml(), "seed: 30\n");
  EXPECT_EQ(saved.optimizer(), nullptr);
  EXPECT_EQ(saved.average(), nullptr);
  const auto state = parse_json(saved.state_json());
  EXPECT_EQ(state.at("mean_of"), Json({10, 20, 30}));
  EXPECT_EQ(state.at("file"), kWeightsFile);
  EXPECT_FALSE(state.contains("vocabularies"));
  EXPECT_EQ(state.at("origin").at("program"), "test");
  EXPECT_EQ(state.at("origin").at("made_of").size(), 3u);
  EXPECT_EQ(state.at("origin").at("made_of")[1].at("step"), 20);
}

TEST(CheckpointMean, KnowsTheVocabularyAndRefusesToMixTwo) {
  TemporaryFolder folder;
  const auto trained_with = [](const char* source) {
    return fmt::format(R"({{"vocabularies": {{"source": "{}", "target": "t"}}}})", source);
  };
  write_model(folder.path(), 10, {1}, {}, "w", trained_with("other"));
  write_model(folder.path(), 20, {2});  // an old one, which does not say
  write_model(folder.path(), 30, {3}, {}, "w", trained_with("s"));
  write_model(folder.path(), 40, {4}, {}, "w", trained_with("s"));
  const CheckpointMean mean(last_checkpoints(folder.path(), 3));
  EXPECT_EQ(parse_json(mean.snapshot("test").state_json).at("vocabularies"), Json({{"source", "s"}, {"target", "t"}}));
  EXPECT_ERROR(CheckpointMean(last_checkpoints(folder.path(), 4)), Error, HasSubstr("step-00000010"),
               HasSubstr("step-00000030"));
}

TEST(CheckpointMean, SumsInDouble) {
  TemporaryFolder folder;
  const float large = 16777216;  // 2^24: one more is lost in a sum of floats
  for (const int64_t step : {1, 2, 3, 4}) write_model(folder.path(), step, {step == 1 ? large : 1.0f});
  save_mean(folder / "average", CheckpointMean(last_checkpoints(folder.path(), 4)), "test");
  EXPECT_THAT(saved_weights(folder / "average"), ElementsAre(static_cast<float>((16777216.0 + 3) / 4)));
  EXPECT_NE(static_cast<float>((16777216.0 + 3) / 4), large / 4);
}

TEST(CheckpointMean, TakesTheLastOrTheNamedInAnyOrder) {
  TemporaryFolder folder;
  for (const int64_t step : {1, 2, 3, 10}) write_model(folder.path(), step, {static_cast<float>(step)});
  fs::create_directory_symlink("step-00000002", folder / "best");
  EXPECT_THAT(CheckpointMean(last_checkpoints(folder.path(), 2)).steps(), ElementsAre(3, 10));
  const CheckpointMean named(named_checkpoints(folder.path(), {"step-00000010", "best"}));
  EXPECT_THAT(named.steps(), ElementsAre(2, 10));
  EXPECT_EQ(named.snapshot("test").step, 10);
  EXPECT_EQ(named.snapshot("test").config_yaml, "seed: 10\n");
}

TEST(CheckpointMean, TakesExponentialAveragesIfThereAre) {
  TemporaryFolder folder;
  write_model(folder.path(), 1, {1}, {100});
  write_model(folder.path(), 2, {3}, {300});
  const CheckpointMean mean(last_checkpoints(folder.path(), 2));
  EXPECT_TRUE(mean.exponential());
  save_mean(folder / "average", mean, "test");
  EXPECT_THAT(saved_weights(folder / "average"), ElementsAre(200.0f));
  EXPECT_EQ(parse_json(mean.snapshot("test").state_json).at("file"), kAverageFile);

  write_model(folder.path(), 3, {5});
  EXPECT_ERROR(CheckpointMean(last_checkpoints(folder.path(), 2)), Error, HasSubstr("step-00000002"),
               HasSubstr(kAverageFile), HasSubstr("step-00000003"));
}

TEST(CheckpointMean, RefusesTooFewOrMissingOnes) {
  TemporaryFolder folder;
  write_model(folder.path(), 1, {1});
  write_model(folder.path(), 2, {1});
  EXPECT_ERROR(last_checkpoints(folder.path(), 5), Error, HasSubstr("--last 5"),
               HasSubstr("2: step-00000001, step-00000002"));
  EXPECT_ERROR(last_checkpoints(folder / "nowhere", 2), Error, HasSubstr("nowhere"), HasSubstr("0: none"));
  EXPECT_ERROR(named_checkpoints(folder.path(), {"step-00000001", "step-00000003"}), Error,
               HasSubstr("\"step-00000003\""), HasSubstr(": step-00000001, step-00000002"));
  EXPECT_ERROR(CheckpointMean({folder / "step-00000001"}), Error, HasSubstr("1"));
  EXPECT_ERROR(CheckpointMean({folder / "step-00000001", folder / "./step-00000001"}), Error,
               HasSubstr("step-00000001"));
}

TEST(CheckpointMean, RefusesAnotherModelByName) {
  TemporaryFolder folder;
  write_model(folder.path(), 1, {1, 2});
  write_model(folder.path(), 2, {1, 2, 3});
  EXPECT_ERROR(CheckpointMean(last_checkpoints(folder.path(), 2)), Error, HasSubstr("w is [2]"),
               HasSubstr("step-00000001"), HasSubstr("[3]"), HasSubstr("step-00000002"));
  write_model(folder.path(), 3, {1, 2, 3}, {}, "v");
  EXPECT_ERROR(CheckpointMean(last_checkpoints(folder.path(), 2)), Error,
               HasSubstr("step-00000002/weights.safetensors"), HasSubstr(" w,"), HasSubstr("step-00000003"));
}

TEST(CheckpointMean, NamesADamagedOne) {
  TemporaryFolder folder;
  for (const int64_t step : {1, 2, 3}) write_model(folder.path(), step, {1, 2});
  const fs::path weights = folder / "step-00000002" / kWeightsFile;
  flip_bit(weights, 8 * fs::file_size(weights) - 1);
  EXPECT_ERROR(CheckpointMean(last_checkpoints(folder.path(), 3)), Error,
               HasSubstr("step-00000002/weights.safetensors"), HasSubstr("--checkpoints"));
  EXPECT_THAT(CheckpointMean(named_checkpoints(folder.path(), {"step-00000001", "step-00000003"})).steps(),
              ElementsAre(1, 3));
  fs::rename(folder / "step-00000003", folder / "step-00000009");
  EXPECT_ERROR(CheckpointMean({folder / "step-00000001", folder / "step-00000009"}), Error, HasSubstr("step-00000009"),
               HasSubstr("step 3"));
}

TEST(CheckpointMean, ReplacesAnEarlierMeanAndNothingElse) {
  TemporaryFolder folder;
  for (const int64_t step : {1, 2}) write_model(folder.path(), step, {static_cast<float>(step)});
  write_model(folder.path(), 3, {4});
  const CheckpointMean first({folder / "step-00000001", folder / "step-00000002"});
  const CheckpointMean second({folder / "step-00000002", folder / "step-00000003"});
  save_mean(folder / "average", first, "test");
  save_mean(folder / "average/", second, "test");
  EXPECT_THAT(saved_weights(folder / "average"), ElementsAre(3.0f));

  for (const char* name : {"step-00000002", "step-00000009", "step-9", "a.partial", "a.deleting"}) {
    EXPECT_ERROR(save_mean(folder / name, second, "test"), UsageError, HasSubstr(name));
  }
  fs::create_directory_symlink("average", folder / "link");
  EXPECT_ERROR(save_mean(folder / "link", second, "test"), Error, HasSubstr("link"));
  fs::rename(folder / "step-00000001", folder / "renamed");
  EXPECT_ERROR(save_mean(folder / "renamed", second, "test"), Error, HasSubstr("renamed"));
  write_file(folder / "file", "text");
  EXPECT_ERROR(save_mean(folder / "file", second, "test"), Error, HasSubstr("file"));
  EXPECT_THAT(names_in(folder.path()),
              ElementsAre("average", "file", "link", "renamed", "step-00000002", "step-00000003"));
}

TEST(CheckpointMean, LivesBesideTheCheckpointsOfARun) {
  TemporaryFolder folder;
  CheckpointConfig config;
  config.keep_last = 2;
  {
    CheckpointStore store(folder.path(), config);
    for (const int64_t step : {1, 2}) store.save(MadeSnapshot(step).view());
    save_mean(folder / "average", CheckpointMean(last_checkpoints(folder.path(), 2)), "test");
    for (const int64_t step : {3, 4, 5}) store.save(MadeSnapshot(step).view());
  }
  CheckpointStore resumed(folder.path(), config);
  EXPECT_EQ(resumed.newest_whole().checkpoint->step(), 5);
  resumed.drop_after(4);
  EXPECT_EQ(fs::read_symlink(folder / "last"), step_folder_name(4));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("average", "last", "step-00000004"));
  EXPECT_EQ(Checkpoint(folder / "average").step(), 2);
}

}  // namespace
}  // namespace verbund
