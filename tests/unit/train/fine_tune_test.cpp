// SPDX-License-Identifier: Apache-2.0
#include "train/fine_tune.h"

#include <gtest/gtest.h>

#include "optim/schedule.h"

namespace verbund {
namespace {

Config demo() { return load_config("demo", {}); }

TEST(FineTune, IsShortAndGentle) {
  Config config = demo();
  const Schedule before(config.schedule, config.model.d_model);
  set_length_and_schedule(config, 6000);
  EXPECT_EQ(config.train.max_steps, 600);
  EXPECT_EQ(config.schedule.warmup_steps, 30);
  const Schedule schedule(config.schedule, config.model.d_model);
  EXPECT_LT(schedule.rate(5), schedule.rate(30));
  EXPECT_NEAR(schedule.rate(30), before.rate(79) / 10, 1e-12);  // 80 steps of warm-up
  EXPECT_EQ(schedule.rate(31), schedule.rate(30));
  EXPECT_EQ(schedule.rate(100000), schedule.rate(30));
  EXPECT_EQ(config.train.eval_every, 40);  // as before, which is often enough
}

TEST(FineTune, TheRateIsOneThatTheModelHasSeen) {
  Config config = demo();
  config.schedule.warmup_steps = 8000;
  const double last = Schedule(config.schedule, config.model.d_model).rate(1999);
  set_length_and_schedule(config, 2000);  // it stopped while the rate was still rising
  EXPECT_NEAR(config.schedule.learning_rate, last / 10, 1e-12);
  EXPECT_EQ(config.train.max_steps, 200);
  EXPECT_EQ(config.train.eval_every, 20);
}

TEST(FineTune, AModelWithoutStepsIsAnImportedOne) {
  Config config;
  const double peak = Schedule(config.schedule, config.model.d_model).rate(config.schedule.warmup_steps);
  set_length_and_schedule(config, 0);
  EXPECT_EQ(config.train.max_steps, 1000);
  EXPECT_NEAR(config.schedule.learning_rate, peak / 10, peak * 1e-3);
  config = demo();
  set_length_and_schedule(config, 150);
  EXPECT_EQ(config.train.max_steps, 100);
}

}  // namespace
}  // namespace verbund
