// SPDX-License-Identifier: Apache-2.0
// The GPU operations on logits: the loss, and the choice of next tokens.
#include <cmath>
#include <limits>

#include "gpu/gpu.h"

namespace verbund::tokens_test {
namespace {

class GpuTokens : public GpuTest {};
VERBUND_FOR_EVERY_PRECISION(GpuTokens);

Floats to_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }
Floats to_floats(const std::vector<int32_t>& values) { return {values.begin(), values.end()}; }

TEST_P(GpuTokens, Loss) {
  struct Case {
    int64_t rows, vocabulary;
    double smoothing;
    bool gradient, float_logits, in_place;
  };
  for (const Case& c : {Case{5, 1000, 0.1, true, false, true}, Case{3, 1001, 0.1, true, false, true},
                        Case{4, 37, 0, true, false, false}, Case{2, 4500, 0.2, false, false, false},
                        Case{3, 2, 0.1, true, false, true}, Case{2, 3000, 0.1, false, true, false}}) {
    const auto count = static_cast<size_t>(c.rows);
    std::vector<int32_t> wanted;
    Random random(5, 0);
    for (size_t i = 0; i < count; ++i) {
      wanted.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(c.vocabulary))));
    }
    const auto run = [&](Device& device) {
      const FloatType logit_type = c.float_logits ? FloatType::kFp32 : type();
      const TypedOnDevice logits(device, operands(c.rows * c.vocabulary, 1, 4), logit_type);
      const TypedOnDevice separate(device, zeros(c.rows * c.vocabulary), type());
      // On a CPU the gradient takes the logits' place.
      const TypedOnDevice& gradient = c.in_place || device.is_host() ? logits : separate;
      const OnDevice<int32_t> targets(device, wanted), best(device, std::vector<int32_t>(count));
      const OnDevice<double> smoothed(device, std::vector<double>(count)),
          cross_entropy(device, std::vector<double>(count));
      const OnDevice<double> sums(device, {9, 9, 9});
      LossRows op{c.rows, c.vocabulary, logits.data(),   targets.data(),       c.smoothing,
                  {},     0.5f,         smoothed.data(), cross_entropy.data(), best.data()};
      if (c.gradient) op.gradient = gradient.data();
      device.loss(op);
      device.sum_losses({c.rows, smoothed.data(), cross_entropy.data(), best.data(), targets.data(),
                         reinterpret_cast<LossSums*>(sums.data())});
      return Outputs{{"smoothed", to_floats(smoothed.get())},
                     {"cross_entropy", to_floats(cross_entropy.get())},
                     {"best", to_floats(best.get())},
                     {"sums", to_floats(sums.get())},
                     {"gradient.", c.gradient ? gradient.get() : Floats()}};
    };
    compare(run, std::to_string(c.rows) + " x " + std::to_string(c.vocabulary));
  }
}

TEST_P(GpuTokens, TheFirstOfEqualsIsBest) {
  const int64_t vocabulary = 3000;
  Floats values(vocabulary, -1);
  values[2999] = values[1025] = values[700] = 2;
  const TypedOnDevice logits(device(), values, type());
  const OnDevice<int32_t> targets(device(), {700}), best(device(), {-1});
  const OnDevice<double> smoothed(device(), {0}), cross_entropy(device(), {0});
  device().loss(
      {1, vocabulary, logits.data(), targets.data(), 0, {}, 1, smoothed.data(), cross_entropy.data(), best.data()});
  EXPECT_EQ(best.get()[0], 700);
}

TEST_P(GpuTokens, TroubleInALogitIsSeenInTheLoss) {
  for (const float trouble : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Floats values = operands(1500, 1);
    values[1300] = trouble;
    const TypedOnDevice logits(device(), values, type());
    const OnDevice<int32_t> targets(device(), {3}), best(device(), {-1});
    const OnDevice<double> smoothed(device(), {0}), cross_entropy(device(), {0});
    device().loss({1, 1500, logits.data(), targets.data(), 0.1, logits.data(), 1, smoothed.data(), cross_entropy.data(),
                   best.data()});
    EXPECT_FALSE(std::isfinite(smoothed.get()[0]));
    EXPECT_FALSE(std::isfinite(cross_entropy.get()[0]));
  }
}

TEST_P(GpuTokens, Best) {
  struct Case {
    int64_t rows, vocabulary, count;
    bool few;  // only so many different values that there are many equals
  };
  for (const Case& c : {Case{3, 1000, 8, false}, Case{4, 777, 64, true}, Case{2, 5, 8, false}, Case{1, 1, 1, false}}) {
    const auto run = [&](Device& device) {
      Floats values = random_values(c.rows * c.vocabulary, 1, 3);
      if (c.few) {
        for (float& value : values) value = std::round(value);
      }
      values[0] = -std::numeric_limits<float>::infinity();
      if (c.vocabulary == 1) values[0] = 0;
      const OnDevice<float> logits(device, values), probabilities(device, zeros(c.rows * c.count));
      const OnDevice<float> partition(device, zeros(c.rows));
      const OnDevice<int32_t> tokens(device, std::vector<int32_t>(static_cast<size_t>(c.rows * c.count)));
      device.best_tokens(
          {c.rows, c.vocabulary, logits.data(), c.count, tokens.data(), probabilities.data(), partition.data()});
      Floats found = probabilities.get();
      for (float& x : found) x = std::isinf(x) ? -999.0f : x;
      return Outputs{{"tokens", to_floats(tokens.get())}, {"probabilities", found}, {"partition", partition.get()}};
    };
    compare(run, std::to_string(c.vocabulary));
  }
}

TEST_P(GpuTokens, MeansOfProbabilities) {
  const int64_t rows = 3, vocabulary = 501;
  const auto run = [&](Device& device) {
    const OnDevice<float> logits(device, random_values(rows * vocabulary, 1, 3));
    const OnDevice<float> partition(device, random_values(rows, 2)), mean(device, Floats(rows * vocabulary, 0.01f));
    device.add_probabilities({rows, vocabulary, logits.data(), partition.data(), 0.5f, mean.data()});
    device.take_logarithm({rows * vocabulary, mean.data()});
    return Outputs{{"logarithm", mean.get()}};
  };
  compare(run, "mean");
}

}  // namespace
}  // namespace verbund::tokens_test
