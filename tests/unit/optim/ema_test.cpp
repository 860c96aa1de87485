// SPDX-License-Identifier: Apache-2.0
#include "optim/ema.h"

#include <cmath>

#include "core/error.h"
#include "support/buffers.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"

namespace verbund::ema_test {
namespace {

using ::testing::HasSubstr;

constexpr size_t kSize = 70'001;

TEST(WeightEma, TheFirstWeightsAreTheAverage) {
  WeightEma average(cpu(), {.decay = 0.9}, kSize);
  EXPECT_FALSE(average.started());
  const std::vector<float> weights = random_values(kSize, 1);
  average.update(on_cpu(weights), 0);
  EXPECT_TRUE(average.started());
  EXPECT_TRUE(same_bits(average.values().host(), weights));
}

// Decays 2/11 and 3/12; from the third on 0.3 is the smaller one.
TEST(WeightEma, EarlyWeightsAreForgottenQuickly) {
  WeightEma average(cpu(), {.decay = 0.3}, 1);
  double expected = 1;
  average.update(on_cpu(std::vector{1.0f}), 0);
  for (const double decay : {2.0 / 11, 3.0 / 12, 0.3, 0.3}) {
    const auto weight = static_cast<float>(10 * decay);
    average.update(on_cpu(std::vector{weight}), 0);
    expected = decay * expected + (1 - decay) * weight;
    EXPECT_NEAR(average.values().host()[0], expected, 1e-6);
  }
}

TEST(WeightEma, WithoutWarmUpTheDecayIsConstant) {
  WeightEma average(cpu(), {.decay = 0.75, .warmup = false}, 1);
  for (const float weight : {8.0f, 4.0f, 0.0f}) average.update(on_cpu(std::vector{weight}), 0);
  EXPECT_EQ(average.values().host()[0], 5.25f);  // 8 -> 7 -> 5.25
}

TEST(WeightEma, SeveralStepsAtOnceDecayForEach) {
  WeightEma average(cpu(), {.decay = 0.5, .warmup = false}, 1);
  average.update(on_cpu(std::vector<float>{1}), 4, 4);
  average.update(on_cpu(std::vector<float>{9}), 7, 3);
  EXPECT_FLOAT_EQ(average.values().host()[0], 1 + 0.875f * 8);
}

TEST(WeightEma, ManyUpdatesStayNearDoublePrecision) {
  WeightEma average(cpu(), {.decay = 0.99}, kSize);
  std::vector<double> expected(kSize);
  for (int n = 0; n < 100; ++n) {
    const std::vector<float> weights = random_values(kSize, static_cast<uint64_t>(n));
    average.update(on_cpu(weights), n);
    const double decay = n == 0 ? 0 : std::min(0.99, (1.0 + n) / (10.0 + n));
    for (size_t i = 0; i < kSize; ++i) expected[i] = decay * expected[i] + (1 - decay) * weights[i];
  }
  double worst = 0;
  for (size_t i = 0; i < kSize; ++i) worst = std::max(worst, std::abs(average.values().host()[i] - expected[i]));
  EXPECT_LT(worst, 1e-6);
}

TEST(WeightEma, StartsAtItsStep) {
  WeightEma average(cpu(), {.decay = 0.5, .start_step = 10}, 1);
  average.update(on_cpu(std::vector{1.0f}), 9);
  EXPECT_FALSE(average.started());
  average.update(on_cpu(std::vector{5.0f}), 10);
  EXPECT_EQ(average.values().host()[0], 5.0f);
  EXPECT_EQ(average.weights_seen(), 1);
}

TEST(WeightEma, DecayZeroKeepsNothing) {
  WeightEma average(cpu(), {}, kSize);
  average.update(on_cpu(std::vector<float>(kSize, 1.0f)), 0);
  EXPECT_FALSE(average.enabled());
  EXPECT_FALSE(average.started());
  EXPECT_EQ(average.values().size(), 0U);
}

// Eight updates straight on three threads; five on one thread, saved, three more.
TEST(WeightEma, ResumesWithTheSameBitsOnAnyThreads) {
  const EmaConfig config = {.decay = 0.999};
  WeightEma straight(cpu(), config, kSize), first(cpu(), config, kSize), second(cpu(), config, kSize);
  const auto update = [](WeightEma& average, int64_t step) {
    average.update(on_cpu(random_values(kSize, static_cast<uint64_t>(step))), step);
  };
  {
    const ThreadCount threads(3);
    for (int64_t step = 0; step < 8; ++step) update(straight, step);
  }
  const ThreadCount threads(1);
  for (int64_t step = 0; step < 5; ++step) update(first, step);
  second.values().upload(first.values().host());
  second.set_weights_seen(first.weights_seen());
  for (int64_t step = 5; step < 8; ++step) update(second, step);
  EXPECT_TRUE(same_bits(straight.values().host(), second.values().host()));
}

TEST(WeightEma, RefusesAnotherSize) {
  WeightEma average(cpu(), {.decay = 0.9}, 10);
  EXPECT_ERROR(average.update(on_cpu(std::vector<float>(9)), 0), Error, HasSubstr("10"), HasSubstr("9"));
}

}  // namespace
}  // namespace verbund::ema_test
