// SPDX-License-Identifier: Apache-2.0
// Whole runs with rounds of local steps (workers.sync_every): they learn, give the same bits whenever they are resumed,
// and may be resumed by others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_writer.h"
#include "core/hash.h"
#include "ranks/training_runs.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Rounds : public Training {
 protected:
  static constexpr int kRound = 4, kLength = 24;

  void SetUp() override {
    Training::SetUp();
    prepare_data();
    config_.workers.sync_every = kRound;
    config_.workers.outer_rate = 0.7;
    config_.workers.outer_momentum = 0.9;  // part of the state that is resumed
    config_.train.max_steps = kLength;
    config_.checkpoint.save_every_steps = 8;
  }

  // A checksum of everything in the last checkpoint that training computes.
  static uint64_t state_of(const fs::path& run) {
    std::string all;
    for (const char* file : {"weights", "optimizer", "average", "outer", "exchange"}) {
      const fs::path path = run / "checkpoints" / "last" / fmt::format("{}.safetensors", file);
      if (fs::exists(path)) all += slurp(path);
    }
    return hash64(all);
  }

  static std::vector<int64_t> saved_steps(const fs::path& run) {
    std::vector<int64_t> steps;
    for (const CheckpointEntry& entry : list_checkpoints(run / "checkpoints")) steps.push_back(entry.step);
    return steps;
  }

  // Leaves the run as if it had been killed after the checkpoint of this step.
  static void forget_after(const fs::path& run, int64_t step) {
    for (const CheckpointEntry& entry : list_checkpoints(run / "checkpoints")) {
      if (entry.step > step) remove_checkpoint(entry.folder);
    }
    remove_dangling_links(run / "checkpoints");
  }

  // Trains to the end, is killed, goes on: the same bits, and the same curve.
  void expect_same_bits_after_a_kill(const std::vector<int>& hosts, const std::string& name) {
    const fs::path whole = run_on(hosts, name + "-whole"), killed = run_on(hosts, name + "-killed");
    EXPECT_EQ(state_of(killed), state_of(whole)) << name;
    const std::vector<double> curve = losses(whole);
    EXPECT_EQ(curve.size(), size_t{kLength});
    forget_after(killed, 8);
    EXPECT_NE(state_of(killed), state_of(whole)) << name;
    run_on(hosts, name + "-killed");
    EXPECT_EQ(state_of(killed), state_of(whole)) << name;
    EXPECT_EQ(losses(killed), curve) << name;
  }
};

TEST_F(Rounds, OfOneStepAreTrainingAsUsual) {
  config_.workers = {};
  const uint64_t usual = state_of(run("usual", 2));
  config_.workers.sync_every = 1;
  config_.workers.outer_rate = 0.1;  // not used
  EXPECT_EQ(state_of(run("one", 2)), usual);
}

TEST_F(Rounds, LearnAndEndInTheSameBits) {
  expect_same_bits_after_a_kill({1, 1}, "fp32");
  const std::vector<double> curve = losses(folder_ / "fp32-whole");
  EXPECT_LT(curve.back(), 0.95 * curve.front());
}

TEST_F(Rounds, OfInt8EndInTheSameBits) {
  config_.workers.wire = Wire::kInt8;
  expect_same_bits_after_a_kill({1, 1}, "int8");
  EXPECT_NE(Checkpoint(folder_ / "int8-whole/checkpoints/last").exchange(), nullptr);
  config_.workers.wire = Wire::kFp32;
  expect_same_curve(folder_ / "int8-whole", run("fp32", 2), 0.02);
}

TEST_F(Rounds, WithADelayEndInTheSameBits) {
  config_.workers.sync_delay = 2;
  config_.average.decay = 0.9;
  expect_same_bits_after_a_kill({1, 1}, "delayed");
  const Checkpoint last(folder_ / "delayed-whole/checkpoints/last");
  EXPECT_NO_THROW(last.outer()->at("rank-1.ahead"));
}

TEST_F(Rounds, HostsWithSeveralWorkersAndRoundingEndInTheSameBits) {
  config_.workers.wire = Wire::kBf16;
  config_.workers.sync_delay = 1;
  config_.optimizer.type = OptimizerType::kSgd;
  config_.optimizer.momentum = 0.9;
  expect_same_bits_after_a_kill({2, 1}, "bf16");
}

TEST_F(Rounds, GoOnWithAnotherNumberOfWorkers) {
  config_.workers.wire = Wire::kInt8;
  for (const auto& [before, after] : {std::pair(2, 3), std::pair(3, 1), std::pair(1, 2)}) {
    const std::string name = fmt::format("{}-{}", before, after);
    config_.train.max_steps = 16;
    run(name, before);
    const Checkpoint half(folder_ / name / "checkpoints/last");
    config_.train.max_steps = kLength;
    const fs::path resumed = run(name, after);
    const std::vector<double> curve = losses(resumed);
    ASSERT_EQ(curve.size(), size_t{kLength});
    EXPECT_LT(curve.back(), curve[8]) << name;
    const Checkpoint last(resumed / "checkpoints/last");
    EXPECT_NO_THROW(last.outer()->at(fmt::format("rank-{}.adam.m", after - 1))) << name;
    EXPECT_ANY_THROW(last.outer()->at(fmt::format("rank-{}.adam.m", after))) << name;
  }
}

TEST_F(Rounds, MayBeginAndEndWhenARunIsResumed) {
  config_.workers = {};
  config_.train.max_steps = 8;
  run("run", 2);
  config_.workers.sync_every = kRound;
  config_.train.max_steps = 16;
  const fs::path resumed = run("run", 2);
  EXPECT_NE(Checkpoint(resumed / "checkpoints/last").outer(), nullptr);
  config_.workers = {};
  config_.workers.shard_optimizer = true;
  config_.train.max_steps = kLength;
  run("run", 2);
  EXPECT_EQ(Checkpoint(resumed / "checkpoints/last").outer(), nullptr);
  const std::vector<double> curve = losses(resumed);
  ASSERT_EQ(curve.size(), size_t{kLength});
  EXPECT_LT(curve.back(), curve[7]);
}

// What is due within a round happens at its end; a run may end within one.
TEST_F(Rounds, SaveAndEvaluateWhereTheyEnd) {
  config_.train.max_steps = 14;
  config_.train.eval_every = 5;
  config_.checkpoint.save_every_steps = 5;
  config_.evaluate.best = "loss";
  const fs::path done = run("run", 2);
  EXPECT_THAT(saved_steps(done), ElementsAre(8, 12, 14));
  std::vector<int64_t> evaluated;
  std::istringstream lines(slurp(done / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    if (const auto object = parse_json(line); object.contains("dev_loss")) evaluated.push_back(object["step"]);
  }
  EXPECT_THAT(evaluated, ElementsAre(8, 12, 14));
  EXPECT_EQ(losses(done).size(), 14u);
}

TEST_F(Rounds, WorkersMayHaveNoSentence) {
  config_.batch.tokens = 40;  // two or three sentences
  config_.train.max_steps = 8;
  const fs::path done = run("few", 5);
  EXPECT_EQ(losses(done).size(), 8u);
  EXPECT_EQ(state_of(run("again", 5)), state_of(done));
}

// The rate of step 10 makes the weights of every worker useless; the round is not saved.
TEST_F(Rounds, ThatExplodeAreRolledBack) {
  config_.schedule.policy = SchedulePolicy::kPiecewiseConstant;
  config_.schedule.learning_rate = 1e-3;
  config_.schedule.boundaries = "8";
  config_.schedule.decay_rates = "1e6";
  EXPECT_ERROR(run("stop", 2), Error, HasSubstr("diverged"), HasSubstr("step-00000008"));
  EXPECT_THAT(saved_steps(folder_ / "stop"), ElementsAre(8));
  config_.train.on_divergence = OnDivergence::kRollBack;
  config_.train.roll_backs = 2;
  EXPECT_ERROR(run("back", 2), Error, HasSubstr("diverged"));
  EXPECT_THAT(saved_steps(folder_ / "back"), ElementsAre(8));
}

TEST_F(Rounds, RefuseWhatContradictsThem) {
  config_.workers.sync_delay = kRound;
  EXPECT_ERROR(run("delay", 1), UsageError, HasSubstr("sync_delay"));
  config_.workers.sync_delay = 0;
  config_.workers.shard_optimizer = true;
  EXPECT_ERROR(run("sharded", 1), UsageError, HasSubstr("shard_optimizer"));
  config_.workers.shard_optimizer = false;
  config_.workers.transport = Exchange::kNccl;
  EXPECT_ERROR(run("nccl", 1), UsageError, HasSubstr("transport"));
}

}  // namespace
}  // namespace verbund
