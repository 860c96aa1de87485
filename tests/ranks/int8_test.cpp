// SPDX-License-Identifier: Apache-2.0
// Whole runs with int8 on the wire learn as with fp32, and the residuals of rounding are part of their state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_reader.h"
#include "ranks/training_runs.h"

namespace verbund {
namespace {

class Int8Training : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    prepare_data();
    config_.workers.wire = Wire::kInt8;
  }

  fs::path run_half(const std::vector<int>& hosts, const std::string& name) {
    config_.train.max_steps = kSteps / 2;
    const fs::path half = run_on(hosts, name);
    config_.train.max_steps = kSteps;
    return half;
  }

  static bool has_residuals(const fs::path& run) {
    return Checkpoint(run / "checkpoints" / "last").exchange() != nullptr;
  }
};

TEST_F(Int8Training, StaysNear) {
  const fs::path rounded = run("int8", 2), sharded = [&] {
    config_.workers.shard_optimizer = true;
    return run("sharded", 2);
  }();
  config_.workers = {};
  const fs::path exact = run("fp32", 2);
  expect_same_curve(exact, rounded, 0.02);
  expect_same_curve(exact, sharded, 0.02);
  EXPECT_NE(weights(rounded), weights(exact));
  EXPECT_FALSE(has_residuals(exact));
}

TEST_F(Int8Training, OnOneHostNothingIsRounded) {
  const fs::path together = run_on({2}, "together");
  config_.workers.wire = Wire::kFp32;
  EXPECT_EQ(weights(together), weights(run_on({2}, "fp32")));
  EXPECT_FALSE(has_residuals(together));
}

TEST_F(Int8Training, GoesOnWithOtherWorkersAndHosts) {
  config_.workers.wire = Wire::kFp32;
  const fs::path exact = run("fp32", 1);
  config_.workers.wire = Wire::kInt8;
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> changes = {
      {{1, 1, 1}, {1, 1}}, {{1, 1}, {1, 3}}, {{1, 3}, {2, 2}}, {{1, 1}, {2}}, {{1, 1}, {1}}};
  for (const auto& [before, after] : changes) {
    const std::string name = fmt::format("{} to {}", fmt::join(before, "+"), fmt::join(after, "+"));
    run_half(before, name);
    const fs::path resumed = run_on(after, name);
    expect_same_curve(exact, resumed, 0.02);
    EXPECT_EQ(has_residuals(resumed), after.size() > 1) << name;
  }
}

TEST_F(Int8Training, GoesOnWithAnotherWire) {
  const fs::path run = run_half({1, 1}, "run");
  config_.workers.wire = Wire::kFp32;
  run_on({1, 1}, "run");
  EXPECT_FALSE(has_residuals(run));
  config_.workers.wire = Wire::kInt8;
  config_.train.max_steps = kSteps + 5;
  run_on({1, 1}, "run");
  EXPECT_TRUE(has_residuals(run));
}

}  // namespace
}  // namespace verbund
