// SPDX-License-Identifier: Apache-2.0
#include "config/optim_config.h"

#include "config/load.h"
#include "config/show.h"
#include "core/error.h"
#include "optim/loss_scaler.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

template <typename Config>
Config from_text(const std::string& text) {
  Config config;
  load(parse_yaml(text, "my.yaml"), config);
  return config;
}

template <typename Config>
void expect_round_trip(const Config& config) {
  const std::string text = show(config);
  EXPECT_EQ(show(from_text<Config>(text)), text);
  EXPECT_EQ(show(from_text<Config>(show(config, true))), text);
}

TEST(OptimConfig, WhatIsShownReadsBackTheSame) {
  expect_round_trip(ScheduleConfig{});
  expect_round_trip(ScheduleConfig{
      .policy = SchedulePolicy::kPiecewiseConstant, .boundaries = "1000 2000", .decay_rates = "0.1, 0.01"});
  expect_round_trip(OptimizerConfig{.type = OptimizerType::kAdamW, .epsilon = 1e-8, .weight_decay = 0.01});
  expect_round_trip(EmaConfig{.decay = 0.9999, .start_step = 100, .warmup = false});
  expect_round_trip(LossScaleConfig{.type = LossScaleType::kLogMax});
}

// The names of a choice stand in the order of its enumerators.
TEST(OptimConfig, NamesMeanWhatTheySay) {
  using P = SchedulePolicy;
  for (const auto& [name, policy] : {std::pair{"fixed", P::kFixed},
                                     {"piecewise_constant", P::kPiecewiseConstant},
                                     {"exp_decay", P::kExpDecay},
                                     {"poly_decay", P::kPolyDecay},
                                     {"cosine_decay", P::kCosineDecay},
                                     {"transformer_policy", P::kTransformer},
                                     {"inv_poly_decay", P::kInvPolyDecay}}) {
    EXPECT_EQ(from_text<ScheduleConfig>(std::string("policy: ") + name).policy, policy) << name;
  }
  for (const auto& [name, type] : {std::pair{"adam", OptimizerType::kAdam},
                                   {"adamw", OptimizerType::kAdamW},
                                   {"lazy_adam", OptimizerType::kLazyAdam},
                                   {"sgd", OptimizerType::kSgd}}) {
    EXPECT_EQ(from_text<OptimizerConfig>(std::string("type: ") + name).type, type) << name;
  }
  for (const auto& [name, type] : {std::pair{"none", LossScaleType::kNone},
                                   {"static", LossScaleType::kStatic},
                                   {"backoff", LossScaleType::kBackoff},
                                   {"logmax", LossScaleType::kLogMax}}) {
    EXPECT_EQ(from_text<LossScaleConfig>(std::string("type: ") + name).type, type) << name;
  }
}

TEST(OptimConfig, DefaultsCanBeBuilt) {
  EXPECT_NO_THROW(Schedule(ScheduleConfig{}, 512));
  EXPECT_NO_THROW(make_optimizer(cpu(), {}, 1));
  EXPECT_NO_THROW(make_loss_scaler({}));
}

TEST(OptimConfig, RangesAreKept) {
  EXPECT_ERROR(from_text<OptimizerConfig>("beta2: 1\n"), UsageError, HasSubstr("beta2"));
  EXPECT_ERROR(from_text<OptimizerConfig>("epsilon: 0\n"), UsageError, HasSubstr("epsilon"));
  EXPECT_ERROR(from_text<ScheduleConfig>("learning_rate: -1\n"), UsageError, HasSubstr("learning_rate"));
  EXPECT_ERROR(from_text<EmaConfig>("decay: 1\n"), UsageError, HasSubstr("decay"));
}

}  // namespace
}  // namespace verbund
