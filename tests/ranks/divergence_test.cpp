// SPDX-License-Identifier: Apache-2.0
// Exploding weights are never saved and never become the best, whenever they explode.
#include <gmock/gmock.h>

#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "ranks/training_runs.h"
#include "record/history.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Divergence : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    config_.train.max_steps = 20;
    config_.checkpoint.save_every_steps = 5;
    config_.schedule.policy = SchedulePolicy::kPiecewiseConstant;
    config_.schedule.learning_rate = 1e-3;
    explode_at(10);
    prepare_data();
  }

  // The update of this step makes the weights useless, and so do all later ones.
  void explode_at(int step) {
    config_.schedule.boundaries = std::to_string(step - 2);
    config_.schedule.decay_rates = "1e6";
  }

  static std::vector<int64_t> steps(const fs::path& run) {
    std::vector<int64_t> steps;
    for (const CheckpointEntry& entry : list_checkpoints(run / "checkpoints")) steps.push_back(entry.step);
    return steps;
  }

  // Among others, perhaps.
  static void expect_roll_back(const fs::path& run, int64_t to_step, double rate_factor) {
    const std::vector<HistoryEvent> events = read_history(run / "history.jsonl").events;
    EXPECT_TRUE(std::any_of(events.begin(), events.end(), [&](const HistoryEvent& event) {
      return event.event == "roll_back" && event.line.at("to_step") == to_step &&
             event.line.at("rate_factor") == rate_factor;
    }));
  }
};

TEST_F(Divergence, WeightsThatExplodeOnAStepThatIsSavedAreNotKept) {
  config_.checkpoint.keep_last = 1;
  EXPECT_ERROR(run("run", 1), Error, HasSubstr("step 11"), HasSubstr("step-00000005."));
  EXPECT_THAT(steps(folder_ / "run"), ElementsAre(5));
}

TEST_F(Divergence, ARunThatExplodesOnItsLastStepIsNotFinished) {
  config_.train.max_steps = 10;
  for (const auto& [name, every] : {std::pair("saved", 5), std::pair("not-saved", 0)}) {
    config_.checkpoint.save_every_steps = every;
    EXPECT_ERROR(run(name, 1), Error, HasSubstr("step 11"));
    EXPECT_EQ(steps(folder_ / name).size(), every > 0 ? 1u : 0u);
  }
}

TEST_F(Divergence, RollsBackToGoodWeightsUntilTheRateIsSmallEnough) {
  config_.train.on_divergence = OnDivergence::kRollBack;
  config_.train.roll_backs = 100;
  for (const int workers : {1, 3}) {
    config_.workers.shard_optimizer = workers > 1;
    const fs::path trained = run(std::to_string(workers), workers);
    EXPECT_THAT(steps(trained), ElementsAre(5, 10, 15, 20));
    EXPECT_EQ(losses(trained).size(), 20u);
    EXPECT_LT(losses(trained).back(), 4 * losses(trained).front());
    expect_roll_back(trained, 5, 0.5);
  }
}

// As other programs, or this one before it knew better, may have left it.
TEST_F(Divergence, ACheckpointThatExplodesAtOnceIsLeftForTheOneBefore) {
  config_.train.on_divergence = OnDivergence::kRollBack;
  explode_at(1000);
  config_.train.max_steps = 10;
  const fs::path trained = run("run", 1);
  const fs::path newest = trained / "checkpoints" / step_folder_name(10);
  {
    const Checkpoint good(newest);
    std::vector<std::vector<float>> values;
    CheckpointSnapshot broken;
    broken.step = 10;
    for (const TensorView& tensor : good.weights().tensors()) {
      values.emplace_back(tensor.bytes.size() / sizeof(float));
      copy_tensor(tensor, std::span(values.back()));
      for (float& value : values.back()) value *= 1000;
      broken.weights.push_back(view_tensor<float>(tensor.name, tensor.shape, values.back()));
    }
    broken.optimizer = good.optimizer()->tensors();
    broken.state_json = good.state_json();
    broken.config_yaml = good.config_yaml();
    write_checkpoint(newest, broken);
  }
  config_.train.max_steps = 15;
  run("run", 1);
  expect_roll_back(trained, 5, 0.5);
  EXPECT_EQ(steps(trained).back(), 15);
  EXPECT_LT(losses(trained).back(), 2 * losses(trained).front());
}

}  // namespace
}  // namespace verbund
