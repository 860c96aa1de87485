// SPDX-License-Identifier: Apache-2.0
// --resume force keeps the state that fits the new configuration, resets the rest, and logs it.
#include <gmock/gmock.h>

#include <regex>

#include "checkpoint/checkpoint_reader.h"
#include "core/error.h"
#include "ranks/training_runs.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ForcedResume : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    prepare_data();
  }

  // Trains as configured, then goes on as changed. Returns the log, with paragraphs in one row.
  std::string go_on(const std::string& name, int workers, const std::function<void(Config&)>& change) {
    const Config before = config_;
    config_.train.max_steps = 10;
    run(name, workers);
    config_.train.max_steps = 20;
    change(config_);
    EXPECT_ERROR(run(name, workers), Error, HasSubstr("--resume force"));
    const fs::path forced = run(name, workers, Resume::kForce);
    EXPECT_EQ(losses(forced).size(), 20u);
    EXPECT_EQ(Checkpoint(forced / "checkpoints" / "last").step(), 20);
    run(name, workers);  // from now on it is this run's configuration
    config_ = before;
    return std::regex_replace(slurp(forced / "log.txt"), std::regex("\n\\S+Z    "), " ");
  }
};

TEST_F(ForcedResume, WithAnotherOptimiser) {
  const auto with_momentum = [](Config& config) {
    config.optimizer.type = OptimizerType::kSgd;
    config.optimizer.momentum = 0.9;
  };
  EXPECT_THAT(go_on("adam-sgd", 1, with_momentum), AllOf(HasSubstr("optimizer.type was adam, is now sgd"),
                                                         HasSubstr("adam.m, adam.v, is now sgd.momentum")));
  config_.workers.shard_optimizer = true;
  EXPECT_THAT(go_on("sharded", 3, with_momentum), HasSubstr("is now sgd.momentum"));
  config_.optimizer.type = OptimizerType::kSgd;
  EXPECT_THAT(go_on("sgd-adam", 2, [](Config& config) { config.optimizer.type = OptimizerType::kAdam; }),
              HasSubstr("nothing, is now adam.m, adam.v"));
}

TEST_F(ForcedResume, WithAnotherOptimiserThatKeepsTheSameState) {
  const std::string log = go_on("adamw", 1, [](Config& config) { config.optimizer.type = OptimizerType::kAdamW; });
  EXPECT_EQ(log.find("is reset"), std::string::npos);
}

TEST_F(ForcedResume, WithAnotherLossScale) {
  config_.loss_scale.type = LossScaleType::kBackoff;
  EXPECT_THAT(go_on("logmax", 2, [](Config& config) { config.loss_scale.type = LossScaleType::kLogMax; }),
              HasSubstr("backoff.good_steps, backoff.scale, is now logmax."));
  EXPECT_THAT(go_on("none", 1, [](Config& config) { config.loss_scale.type = LossScaleType::kNone; }),
              HasSubstr("is now nothing"));
}

}  // namespace
}  // namespace verbund
