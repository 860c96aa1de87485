// SPDX-License-Identifier: Apache-2.0
#include "optim/schedule.h"

#include <cmath>

#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

Schedule schedule(const ScheduleConfig& config, int64_t d_model = 512) { return Schedule(config, d_model); }

TEST(Schedule, Fixed) {
  const Schedule s = schedule({.policy = SchedulePolicy::kFixed, .learning_rate = 0.001});
  EXPECT_EQ(s.rate(0), 0.001);
  EXPECT_EQ(s.rate(1'000'000), 0.001);
  EXPECT_EQ(s.describe(), "constant 0.001");
}

TEST(Schedule, PiecewiseConstantChangesAfterTheBoundary) {
  const Schedule s = schedule({.policy = SchedulePolicy::kPiecewiseConstant,
                               .learning_rate = 0.5,
                               .boundaries = "1k, 2e3",
                               .decay_rates = "0.1 0.02"});
  EXPECT_EQ(s.rate(0), 0.5);
  EXPECT_EQ(s.rate(1000), 0.5);
  EXPECT_DOUBLE_EQ(s.rate(1001), 0.05);
  EXPECT_DOUBLE_EQ(s.rate(2000), 0.05);
  EXPECT_DOUBLE_EQ(s.rate(2001), 0.01);
  EXPECT_DOUBLE_EQ(s.rate(1'000'000), 0.01);
  EXPECT_EQ(s.describe(), "0.5, 0.05 after step 1000, 0.01 after step 2000");
}

TEST(Schedule, ExponentialDecay) {
  ScheduleConfig config = {.policy = SchedulePolicy::kExpDecay,
                           .learning_rate = 1,
                           .min_lr = 0.03,
                           .begin_decay_at = 100,
                           .decay_steps = 10,
                           .decay_rate = 0.25};
  const Schedule smooth = schedule(config);
  EXPECT_EQ(smooth.rate(0), 1);
  EXPECT_EQ(smooth.rate(100), 1);
  EXPECT_DOUBLE_EQ(smooth.rate(105), 0.5);
  EXPECT_DOUBLE_EQ(smooth.rate(110), 0.25);
  EXPECT_DOUBLE_EQ(smooth.rate(120), 0.0625);
  EXPECT_EQ(smooth.rate(130), 0.03);
  config.staircase = true;
  const Schedule stairs = schedule(config);
  EXPECT_EQ(stairs.rate(109), 1);
  EXPECT_DOUBLE_EQ(stairs.rate(110), 0.25);
  EXPECT_DOUBLE_EQ(stairs.rate(119), 0.25);
  EXPECT_EQ(stairs.describe(),
            "1 until step 100, then falls at once by the factor 0.25 every 10 steps, never below 0.03");
}

TEST(Schedule, PolynomialDecayWithWarmUp) {
  const Schedule s = schedule({.policy = SchedulePolicy::kPolyDecay,
                               .learning_rate = 0.9,
                               .warmup_steps = 10,
                               .min_lr = 0.1,
                               .begin_decay_at = 20,
                               .decay_steps = 100,
                               .power = 2});
  EXPECT_EQ(s.rate(0), 0);
  EXPECT_DOUBLE_EQ(s.rate(5), 0.45);
  EXPECT_EQ(s.rate(10), 0.9);
  EXPECT_EQ(s.rate(20), 0.9);
  EXPECT_DOUBLE_EQ(s.rate(70), 0.8 * 0.25 + 0.1);
  EXPECT_DOUBLE_EQ(s.rate(120), 0.1);
  EXPECT_DOUBLE_EQ(s.rate(5000), 0.1);
  EXPECT_EQ(s.describe(),
            "rises linearly for 10 steps to its peak of 0.9, stays there until step 20, then falls with power 2 to "
            "0.1 at step 120 and stays");
}

TEST(Schedule, DecayWaitsForTheWarmUp) {
  const Schedule s = schedule({.policy = SchedulePolicy::kPolyDecay,
                               .learning_rate = 1,
                               .warmup_steps = 10,
                               .begin_decay_at = 3,
                               .decay_steps = 10});
  EXPECT_DOUBLE_EQ(s.rate(9), 0.9);
  EXPECT_EQ(s.rate(10), 1);
  EXPECT_DOUBLE_EQ(s.rate(15), 0.5);
}

TEST(Schedule, CosineDecay) {
  ScheduleConfig config = {.policy = SchedulePolicy::kCosineDecay,
                           .learning_rate = 2,
                           .warmup_steps = 0,
                           .min_fraction = 0.1,
                           .decay_steps = 120};
  const Schedule s = schedule(config);
  EXPECT_EQ(s.rate(0), 2);
  EXPECT_DOUBLE_EQ(s.rate(40), 2 * (0.9 * 0.75 + 0.1));  // cos(pi / 3) = 1/2
  EXPECT_DOUBLE_EQ(s.rate(60), 2 * (0.9 * 0.5 + 0.1));
  EXPECT_DOUBLE_EQ(s.rate(120), 0.2);
  EXPECT_DOUBLE_EQ(s.rate(300), 0.2);
  EXPECT_EQ(s.describe(), "starts at its peak of 2, then falls as half a cosine wave to 0.2 at step 120 and stays");
  config.warmup_steps = 8;
  EXPECT_DOUBLE_EQ(schedule(config).rate(2), 0.5);
  EXPECT_EQ(schedule(config).rate(8), 2);
  EXPECT_DOUBLE_EQ(schedule(config).rate(68), 1.1);
}

// Transformer-base of OpenSeq2Seq: 9.88e-4 at the 8000th step.
TEST(Schedule, TransformerPolicyOfTheBaseModel) {
  const Schedule s = schedule(ScheduleConfig{});
  EXPECT_NEAR(s.rate(0), 2 * std::pow(512, -0.5) * std::pow(8000, -1.5), 1e-18);
  EXPECT_NEAR(s.rate(0), 1.2352647e-7, 1e-14);
  EXPECT_NEAR(s.rate(3999), 4.9410588e-4, 1e-11);
  EXPECT_NEAR(s.rate(7999), 9.8821177e-4, 1e-11);
  EXPECT_NEAR(s.rate(31999), 4.9410588e-4, 1e-11);
  EXPECT_NEAR(s.rate(99999), 2.7950850e-4, 1e-11);
  EXPECT_LT(s.rate(7998), s.rate(7999));
  EXPECT_LT(s.rate(8000), s.rate(7999));
  EXPECT_EQ(s.describe(),
            "rises linearly for 8000 steps to its peak of 0.000988 at step 8000, then falls with the "
            "inverse square root of the step");
}

TEST(Schedule, TransformerPolicyCutOff) {
  const Schedule s = schedule({.learning_rate = 1, .warmup_steps = 100, .max_lr = 0.05}, 1);  // peak would be 0.1
  EXPECT_DOUBLE_EQ(s.rate(39), 0.04);
  EXPECT_DOUBLE_EQ(s.rate(49), 0.05);
  EXPECT_EQ(s.rate(99), 0.05);
  EXPECT_EQ(s.rate(398), 0.05);
  EXPECT_DOUBLE_EQ(s.rate(624), 0.04);
  EXPECT_EQ(
      s.describe(),
      "rises linearly for 50 steps to 0.05, where it is cut off, and falls with the inverse square root of the step "
      "from step 400 on");
  // A hat above the curve changes nothing.
  EXPECT_THAT(schedule({.max_lr = 1}).describe(), HasSubstr("peak of 0.000988"));
}

TEST(Schedule, InversePolynomialDecay) {
  const Schedule s = schedule({.policy = SchedulePolicy::kInvPolyDecay,
                               .learning_rate = 0.16,
                               .min_lr = 0.01,
                               .decay_steps = 300,
                               .power = 2});  // k = (16^(1/2) - 1) / 300 = 0.01
  EXPECT_EQ(s.rate(0), 0.16);
  EXPECT_DOUBLE_EQ(s.rate(100), 0.04);
  EXPECT_DOUBLE_EQ(s.rate(300), 0.01);
  EXPECT_DOUBLE_EQ(s.rate(700), 0.0025);
  EXPECT_EQ(s.describe(), "starts at its peak of 0.16 and falls ever more slowly, to 0.01 at step 300 and further");
}

TEST(Schedule, RefusesWhatMakesNoSense) {
  using P = SchedulePolicy;
  for (const P policy : {P::kExpDecay, P::kPolyDecay, P::kCosineDecay, P::kInvPolyDecay}) {
    EXPECT_ERROR(schedule({.policy = policy}), UsageError, HasSubstr("schedule.decay_steps is 0"));
  }
  for (const P policy : {P::kExpDecay, P::kPolyDecay, P::kInvPolyDecay}) {
    EXPECT_ERROR(schedule({.policy = policy, .learning_rate = 0.1, .min_lr = 0.2, .decay_steps = 9}), UsageError,
                 HasSubstr("schedule.min_lr is 0.2"), HasSubstr("schedule.learning_rate is 0.1"));
  }
  for (const P policy : {P::kPolyDecay, P::kInvPolyDecay}) {
    EXPECT_ERROR(schedule({.policy = policy, .decay_steps = 9, .power = 0}), UsageError,
                 HasSubstr("schedule.power is 0"));
  }
  EXPECT_ERROR(schedule({.policy = P::kExpDecay, .decay_steps = 9, .decay_rate = 0}), UsageError,
               HasSubstr("schedule.decay_rate is 0"));
  EXPECT_ERROR(schedule({.policy = P::kCosineDecay, .min_lr = 1e-5, .decay_steps = 9}), UsageError,
               HasSubstr("schedule.min_fraction"));
  EXPECT_ERROR(schedule({.policy = P::kInvPolyDecay, .decay_steps = 9}), UsageError, HasSubstr("schedule.min_lr is 0"));
  EXPECT_ERROR(schedule({.warmup_steps = 0}), UsageError, HasSubstr("schedule.warmup_steps is 0"));
  EXPECT_ERROR(schedule(ScheduleConfig{}, 0), UsageError, HasSubstr("width is 0"));
}

TEST(Schedule, RefusesWrongLists) {
  const auto lists = [](const char* boundaries, const char* rates) {
    schedule({.policy = SchedulePolicy::kPiecewiseConstant, .boundaries = boundaries, .decay_rates = rates});
  };
  EXPECT_ERROR(lists("", ""), UsageError, HasSubstr("schedule.boundaries is empty"));
  EXPECT_ERROR(lists("10 20", "0.1"), UsageError, HasSubstr("has 2 numbers"), HasSubstr("decay_rates has 1"));
  EXPECT_ERROR(lists("20 10", "0.1 0.2"), UsageError, HasSubstr("20 before 10"));
  EXPECT_ERROR(lists("10 10", "0.1 0.2"), UsageError, HasSubstr("10 before 10"));
  EXPECT_ERROR(lists("10 2o", "0.1 0.2"), UsageError, HasSubstr("schedule.boundaries"), HasSubstr("\"2o\""));
  EXPECT_ERROR(lists("10", "nan"), UsageError, HasSubstr("schedule.decay_rates"), HasSubstr("\"nan\""));
  EXPECT_ERROR(lists("10", "-0.1"), UsageError, HasSubstr("-0.1"));
}

}  // namespace
}  // namespace verbund
