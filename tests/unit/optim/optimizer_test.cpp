// SPDX-License-Identifier: Apache-2.0
#include "optim/optimizer.h"

#include <array>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "support/buffers.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"

namespace verbund::optimizer_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kSize = 100'003;  // several blocks, and no multiple of any vector

using Row = std::array<float, 4>;
constexpr Row kWeights = {1.0f, -0.5f, 0.25f, 2.0f};
constexpr std::array<Row, 3> kGradients = {
    {{0.1f, -0.2f, 0.3f, -0.4f}, {0.05f, 0.4f, -0.1f, 0.0f}, {-0.3f, 0.2f, 0.01f, 1.5f}}};

// One step on weights and gradients of the host.
void update(Optimizer& optimizer, std::span<float> weights, std::span<const float> gradients, double rate,
            double scale) {
  Weights on_device(cpu(), weights.size());
  on_device.write().upload(weights);
  optimizer.step(on_device, on_cpu(gradients), rate, scale);
  on_device.values().download(weights);
}

// The weights after each of three updates. Gradients are given four times too large,
// together with the scale that corrects it.
void expect_weights(const OptimizerConfig& config, double rate, const std::array<Row, 3>& expected) {
  const auto optimizer = make_optimizer(cpu(), config, 4);
  Row weights = kWeights;
  for (size_t t = 0; t < 3; ++t) {
    Row gradients = kGradients[t];
    for (float& gradient : gradients) gradient *= 4;
    update(*optimizer, weights, gradients, rate, 0.25);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(weights[i], expected[t][i], 3e-7) << "update " << t << ", weight " << i;
  }
  EXPECT_EQ(optimizer->updates(), 3);
}

// The expected numbers are those of PyTorch 1.13: torch.optim.Adam, AdamW and SGD in double
// precision, from kWeights with kGradients and the settings named here.
TEST(Optimizer, AdamIsThatOfPyTorch) {
  const std::array<Row, 3> expected = {{{0.990000000100f, -0.490000000050f, 0.240000000033f, 2.009999999975f},
                                        {0.980675399583f, -0.493659935624f, 0.235996208642f, 2.016703943703f},
                                        {0.984144922320f, -0.498852347241f, 0.232698985026f, 2.011868628890f}}};
  expect_weights({}, 0.01, expected);
  expect_weights({.type = OptimizerType::kLazyAdam}, 0.01, expected);
}

TEST(Optimizer, EpsilonIsAddedAfterTheCorrection) {
  expect_weights({.epsilon = 0.01}, 0.01,
                 {{{0.990909090909f, -0.490476190476f, 0.240322580645f, 2.009756097561f},
                   {0.982631947475f, -0.494023985461f, 0.236490278095f, 2.016230948616f},
                   {0.985923599807f, -0.499039086370f, 0.233364410969f, 2.011448918074f}}});
}

TEST(Optimizer, AdamWithWeightDecayIsThatOfPyTorch) {
  expect_weights({.weight_decay = 0.1}, 0.01,
                 {{{0.990000000050f, -0.490000000040f, 0.240000000031f, 2.009999999950f},
                   {0.980179084535f, -0.492175796248f, 0.235168663039f, 2.009448750287f},
                   {0.978304761087f, -0.495875213237f, 0.230811462135f, 2.003083538377f}}});
}

TEST(Optimizer, AdamWIsThatOfPyTorch) {
  expect_weights({.type = OptimizerType::kAdamW, .weight_decay = 0.1}, 0.01,
                 {{{0.989000000100f, -0.489500000050f, 0.239750000033f, 2.007999999975f},
                   {0.978686399582f, -0.492670435624f, 0.235506458642f, 2.012695943703f},
                   {0.981177235921f, -0.497370176805f, 0.231973728567f, 2.005847932947f}}});
}

TEST(Optimizer, SgdIsThatOfPyTorch) {
  expect_weights({.type = OptimizerType::kSgd, .weight_decay = 0.01}, 0.1,
                 {{{0.989000000000f, -0.479500000000f, 0.219750000000f, 2.038000000000f},
                   {0.983011000000f, -0.519020500000f, 0.229530250000f, 2.035962000000f},
                   {1.012027989000f, -0.538501479500f, 0.228300719750f, 1.883926038000f}}});
}

TEST(Optimizer, SgdWithMomentumIsThatOfPyTorch) {
  expect_weights({.type = OptimizerType::kSgd, .weight_decay = 0.01, .momentum = 0.9}, 0.1,
                 {{{0.989000000000f, -0.479500000000f, 0.219750000000f, 2.038000000000f},
                   {0.973111000000f, -0.500570500000f, 0.202305250000f, 2.070162000000f},
                   {0.987837789000f, -0.539033379500f, 0.185402669750f, 1.947037638000f}}});
}

// Fifty updates of one AdamW weight, written down plainly in double precision.
TEST(Optimizer, StaysNearDoublePrecision) {
  const OptimizerConfig config = {.type = OptimizerType::kAdamW, .weight_decay = 0.05};
  const auto optimizer = make_optimizer(cpu(), config, kSize);
  std::vector<float> weights = random_values(kSize, 1);
  std::vector<double> w(weights.begin(), weights.end()), m(kSize), v(kSize);
  for (int t = 1; t <= 50; ++t) {
    const std::vector<float> gradients = random_values(kSize, 1 + t, 1e-3);
    const double rate = 1e-3 * t, scale = 0.7;
    update(*optimizer, weights, gradients, rate, scale);
    for (size_t i = 0; i < kSize; ++i) {
      const double g = gradients[i] * scale;
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.997 * v[i] + 0.003 * g * g;
      const double m_hat = m[i] / (1 - std::pow(0.9, t)), v_hat = v[i] / (1 - std::pow(0.997, t));
      w[i] = w[i] * (1 - rate * 0.05) - rate * m_hat / (std::sqrt(v_hat) + 1e-9);
    }
  }
  double worst = 0;
  for (size_t i = 0; i < kSize; ++i) worst = std::max(worst, std::abs(weights[i] - w[i]));
  EXPECT_LT(worst, 1e-5);
}

// What a processor without vectors and without fused multiply-add would compute, so that
// workers on unlike machines keep the same weights.
TEST(Optimizer, AdamHasTheBitsOfPlainArithmetic) {
  const auto optimizer = make_optimizer(cpu(), {}, kSize);
  std::vector<float> weights = random_values(kSize, 1), w = weights, m(kSize), v(kSize);
  for (int t = 1; t <= 3; ++t) {
    const std::vector<float> gradients = random_values(kSize, 1 + t);
    update(*optimizer, weights, gradients, 0.01, 0.3);
    const auto root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(0.997, t)));
    const auto rate = static_cast<float>(0.01 / (1 - std::pow(0.9, t)));
    for (size_t i = 0; i < kSize; ++i) {
      const volatile float g = gradients[i] * 0.3f;
      const volatile float m_kept = m[i] * 0.9f, m_new = g * static_cast<float>(1 - 0.9);
      const volatile float squared = g * g;
      const volatile float v_kept = v[i] * 0.997f, v_new = squared * static_cast<float>(1 - 0.997);
      m[i] = m_kept + m_new;
      v[i] = v_kept + v_new;
      const volatile float root = std::sqrt(v[i]) * root_scale;
      const volatile float change = rate * (m[i] / (root + 1e-9f));
      w[i] = w[i] - change;
    }
  }
  EXPECT_TRUE(same_bits(weights, w));
}

class EveryOptimizer : public ::testing::TestWithParam<OptimizerConfig> {};

INSTANTIATE_TEST_SUITE_P(Optimizer, EveryOptimizer,
                         ::testing::Values(OptimizerConfig{.weight_decay = 0.01},
                                           OptimizerConfig{.type = OptimizerType::kAdamW, .weight_decay = 0.01},
                                           OptimizerConfig{.type = OptimizerType::kLazyAdam},
                                           OptimizerConfig{.type = OptimizerType::kSgd},
                                           OptimizerConfig{.type = OptimizerType::kSgd, .momentum = 0.9}));

// Three updates of the same random weights by whatever `step` does with an optimiser.
using Step = std::function<void(Optimizer&, std::span<float> weights, std::span<const float> gradients)>;

std::vector<float> train(const OptimizerConfig& config, const Step& step) {
  const auto optimizer = make_optimizer(cpu(), config, kSize);
  std::vector<float> weights = random_values(kSize, 1);
  for (uint64_t t = 0; t < 3; ++t) step(*optimizer, weights, random_values(kSize, 2 + t));
  return weights;
}

void whole_step(Optimizer& optimizer, std::span<float> weights, std::span<const float> gradients) {
  update(optimizer, weights, gradients, 0.01, 0.5);
}

// Two workers that share the weights, each with the state of its own slices.
TEST_P(EveryOptimizer, TwoOwnersGiveTheBitsOfOne) {
  const auto one = make_optimizer(cpu(), GetParam(), kSize, {{0, 33}, {70'001, kSize}});
  const auto other = make_optimizer(cpu(), GetParam(), kSize, {{33, 70'001}});
  one->freeze({{10, 20}, {80'000, 80'100}});
  other->freeze({{10, 20}, {80'000, 80'100}});
  std::vector<float> weights = random_values(kSize, 1);
  for (uint64_t t = 0; t < 3; ++t) {
    const std::vector<float> gradients = random_values(kSize, 2 + t);
    update(*one, weights, gradients, 0.01, 0.5);
    update(*other, weights, gradients, 0.01, 0.5);
  }
  const std::vector<float> whole = train(GetParam(), [](Optimizer& optimizer, auto all, auto gradients) {
    optimizer.freeze({{10, 20}, {80'000, 80'100}});
    whole_step(optimizer, all, gradients);
  });
  EXPECT_TRUE(same_bits(weights, whole));
}

// A worker that holds state for its own part only.
TEST_P(EveryOptimizer, AnOptimizerOfOnePartGivesTheSameBits) {
  constexpr Interval kPart = {12'345, 98'765};
  const std::vector<float> whole = train(GetParam(), whole_step);
  const auto optimizer = make_optimizer(cpu(), GetParam(), kPart.size());
  std::vector<float> weights = random_values(kSize, 1);
  for (uint64_t t = 0; t < 3; ++t) {
    const std::vector<float> gradients = random_values(kSize, 2 + t);
    update(*optimizer, std::span(weights).subspan(kPart.begin, kPart.size()),
           std::span(gradients).subspan(kPart.begin, kPart.size()), 0.01, 0.5);
  }
  EXPECT_TRUE(same_bits(std::span(weights).subspan(kPart.begin, kPart.size()),
                        std::span(whole).subspan(kPart.begin, kPart.size())));
}

TEST_P(EveryOptimizer, ThreadsDoNotChangeBits) {
  std::vector<float> one, two, three;
  for (const auto& [count, weights] : {std::pair{1, &one}, {2, &two}, {3, &three}}) {
    const ThreadCount threads(count);
    *weights = train(GetParam(), whole_step);
  }
  EXPECT_TRUE(same_bits(one, two));
  EXPECT_TRUE(same_bits(one, three));
}

TEST_P(EveryOptimizer, ResumesWithTheSameBits) {
  const std::vector<float> straight = train(GetParam(), whole_step);
  std::unique_ptr<Optimizer> first = make_optimizer(cpu(), GetParam(), kSize);
  std::vector<float> weights = random_values(kSize, 1);
  for (uint64_t t = 0; t < 2; ++t) whole_step(*first, weights, random_values(kSize, 2 + t));
  const auto second = make_optimizer(cpu(), GetParam(), kSize);
  const auto saved = first->state(), restored = second->state();
  ASSERT_EQ(saved.size(), restored.size());
  for (size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(saved[i].name, restored[i].name);
    ASSERT_EQ(saved[i].values.size(), kSize);
    restored[i].values.upload(saved[i].values.host());
  }
  second->set_updates(first->updates());
  first.reset();
  whole_step(*second, weights, random_values(kSize, 4));
  EXPECT_TRUE(same_bits(weights, straight));
}

TEST_P(EveryOptimizer, FrozenWeightsStay) {
  const std::vector<Interval> frozen = {{50'000, 60'000}, {0, 5}, {kSize - 1, kSize}};
  const std::vector<float> trained = train(GetParam(), [&](Optimizer& optimizer, auto weights, auto gradients) {
    optimizer.freeze(frozen);
    whole_step(optimizer, weights, gradients);
  });
  std::vector<float> expected = train(GetParam(), whole_step);
  const std::vector<float> start = random_values(kSize, 1);
  for (const Interval interval : frozen) {
    std::copy(start.begin() + static_cast<ptrdiff_t>(interval.begin),
              start.begin() + static_cast<ptrdiff_t>(interval.end),
              expected.begin() + static_cast<ptrdiff_t>(interval.begin));
  }
  EXPECT_TRUE(same_bits(trained, expected));
}

TEST(Optimizer, FreezingCanBeUndone) {
  const auto optimizer = make_optimizer(cpu(), {}, 10);
  optimizer->freeze({{0, 10}});
  EXPECT_THAT(optimizer->active(), IsEmpty());
  optimizer->freeze({{4, 6}});
  EXPECT_EQ(optimizer->active(), (std::vector<Interval>{{0, 4}, {6, 10}}));
  optimizer->freeze({});
  EXPECT_EQ(optimizer->active(), (std::vector<Interval>{{0, 10}}));
  EXPECT_ERROR(optimizer->freeze({{8, 11}}), Error, HasSubstr("[8, 11)"), HasSubstr("10"));
}

TEST(Optimizer, NamesItsState) {
  const auto names = [](const OptimizerConfig& config) {
    std::vector<std::string> result;
    for (const OptimizerState& state : make_optimizer(cpu(), config, 3)->state()) result.push_back(state.name);
    return result;
  };
  EXPECT_EQ(names({}), (std::vector<std::string>{"adam.m", "adam.v"}));
  EXPECT_EQ(names({.type = OptimizerType::kSgd, .momentum = 0.9}), (std::vector<std::string>{"sgd.momentum"}));
  EXPECT_THAT(names({.type = OptimizerType::kSgd}), IsEmpty());
}

// A moment that decays into the denormal numbers ends as zero; the caller's arithmetic is
// not touched.
TEST(Optimizer, DenormalMomentsEnd) {
  const auto optimizer = make_optimizer(cpu(), {}, kSize);
  const auto state = optimizer->state();
  for (const OptimizerState& moment : state) moment.values.upload(std::vector<float>(kSize, 1e-40f));
  std::vector<float> weights(kSize, 1.0f);
  update(*optimizer, weights, std::vector<float>(kSize), 0.01, 1);
  EXPECT_TRUE(same_bits(state[0].values.host(), std::vector<float>(kSize)));
  EXPECT_TRUE(same_bits(state[1].values.host(), std::vector<float>(kSize)));
  EXPECT_TRUE(same_bits(weights, std::vector<float>(kSize, 1.0f)));
  const volatile float tiny = 1e-30f;
  EXPECT_GT(tiny * 1e-10f, 0.0f);
}

TEST(Optimizer, RefusesBuffersOfAnotherSize) {
  const auto optimizer = make_optimizer(cpu(), {}, 10);
  std::vector<float> ten(10), nine(9);
  EXPECT_ERROR(update(*optimizer, ten, nine, 1, 1), Error, HasSubstr("10"), HasSubstr("9"));
  EXPECT_ERROR(update(*optimizer, nine, ten, 1, 1), Error, HasSubstr("9"), HasSubstr("10"));
  EXPECT_ERROR(make_optimizer(cpu(), {}, 10, {{5, 11}}), Error, HasSubstr("[5, 11)"), HasSubstr("10"));
}

}  // namespace
}  // namespace verbund::optimizer_test
