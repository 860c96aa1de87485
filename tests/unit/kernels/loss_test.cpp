// SPDX-License-Identifier: Apache-2.0
// Cross-entropy with label smoothing against the Kullback-Leibler divergence of its targets.
#include <limits>

#include "unit/kernels/reference.h"

namespace verbund::loss_test {
namespace {

struct Problem {
  int64_t rows, vocabulary;
  double smoothing;
  double size = 3;  // of the logits
  Floats logits = floats(rows * vocabulary, 1, size);
  std::vector<int32_t> targets = {};

  Problem(int64_t n, int64_t v, double s, double logit_size = 3)
      : rows(n), vocabulary(v), smoothing(s), size(logit_size) {
    Random random(2, 0);
    for (int64_t row = 0; row < rows; ++row) {
      targets.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary))));
    }
  }
};

struct Result {
  Floats logits;  // or their gradient
  Doubles smoothed, cross_entropy;
  std::vector<int32_t> best;
};

Result run(const Kernels& kernels, const Problem& p, bool gradient) {
  const auto rows = static_cast<size_t>(p.rows);
  Result result = {p.logits, Doubles(rows, 99), Doubles(rows, 99), std::vector<int32_t>(rows, 99)};
  kernels.loss({p.rows, p.vocabulary, result.logits.data(), p.targets.data(), p.smoothing,
                gradient ? TypedFloats(result.logits.data()) : TypedFloats(), 1, result.smoothed.data(),
                result.cross_entropy.data(), result.best.data()});
  return result;
}

struct Reference {
  double smoothed = 0, cross_entropy = 0;
};

Reference reference(const Problem& p, const Doubles& logits, size_t row) {
  const auto v = static_cast<size_t>(p.vocabulary), target = static_cast<size_t>(p.targets[row]);
  const double* x = logits.data() + row * v;
  const double highest = *std::max_element(x, x + v);
  double partition = 0;
  for (size_t i = 0; i < v; ++i) partition += std::exp(x[i] - highest);
  const auto log_probability = [&](size_t i) { return x[i] - highest - std::log(partition); };
  Reference result = {0, -log_probability(target)};
  for (size_t i = 0; i < v; ++i) {
    const double share = i == target ? 1 - p.smoothing : p.smoothing / static_cast<double>(v - 1);
    if (share > 0) result.smoothed += share * (std::log(share) - log_probability(i));
  }
  return result;
}

class LossKernel : public KernelTest {};

TEST_P(LossKernel, IsTheFormulaAndItsGradient) {
  for (const Problem& p : {Problem(1, 2, 0.1), Problem(5, 7, 0), Problem(3, 16, 0.1), Problem(40, 333, 0.1),
                           Problem(2, 5000, 0.2, 20), Problem(3, 33, 0, 1000)}) {
    SCOPED_TRACE(::testing::Message() << p.rows << " x " << p.vocabulary << ", smoothing " << p.smoothing);
    Result result;
    with_any_threads([&] {
      result = run(*GetParam(), p, true);
      Floats losses;
      for (size_t row = 0; row < result.cross_entropy.size(); ++row) {
        losses.push_back(static_cast<float>(result.smoothed[row]));
        losses.push_back(static_cast<float>(result.cross_entropy[row]));
      }
      return Outputs{{"gradient", result.logits}, {"losses", losses}};
    });
    Doubles logits = doubles(p.logits);
    for (size_t row = 0; row < result.cross_entropy.size(); ++row) {
      const Reference expected = reference(p, logits, row);
      EXPECT_NEAR(result.cross_entropy[row], expected.cross_entropy, 1e-6 * (1 + p.size)) << row;
      EXPECT_NEAR(result.smoothed[row], expected.smoothed, 2e-6 * (1 + p.size)) << row;
      const auto begin = p.logits.begin() + static_cast<int64_t>(row) * p.vocabulary;
      EXPECT_EQ(result.best[row], std::max_element(begin, begin + p.vocabulary) - begin) << row;
    }
    const auto loss = [&] {
      double total = 0;
      for (size_t row = 0; row < result.cross_entropy.size(); ++row) total += reference(p, logits, row).smoothed;
      return total;
    };
    expect_gradient(result.logits, logits, loss, "gradient");

    const Result evaluated = run(*GetParam(), p, false);
    EXPECT_TRUE(same_bits(evaluated.logits, p.logits)) << "without gradient the logits stay";
    EXPECT_EQ(evaluated.smoothed, result.smoothed);
    EXPECT_EQ(evaluated.cross_entropy, result.cross_entropy);
  }
}

// The probabilities that smoothing asks for cost nothing, and nothing pulls at them.
TEST_P(LossKernel, APerfectModelHasLossZero) {
  Problem p(1, 50, 0.1);
  for (int32_t i = 0; i < p.vocabulary; ++i) {
    p.logits[static_cast<size_t>(i)] = static_cast<float>(std::log(i == p.targets[0] ? 0.9 : 0.1 / 49));
  }
  const Result result = run(*GetParam(), p, true);
  EXPECT_NEAR(result.smoothed[0], 0, 1e-6);
  EXPECT_NEAR(result.cross_entropy[0], -std::log(0.9), 1e-6);
  expect_near(result.logits, Doubles(50, 0), "gradient", 1e-6);
}

TEST_P(LossKernel, TheFirstOfEqualsIsTheBest) {
  Problem p(1, 40, 0);
  std::fill(p.logits.begin(), p.logits.end(), -1.0f);
  p.logits[19] = p.logits[37] = 5;
  EXPECT_EQ(run(*GetParam(), p, true).best[0], 19);
}

// In whole vectors and after them: the divergence guard must see it.
TEST_P(LossKernel, ANumberThatIsNoneIsNotHidden) {
  for (const size_t at : {0U, 3U, 17U, 35U}) {
    for (const double smoothing : {0.0, 0.1}) {
      Problem p(1, 36, smoothing);
      p.logits[at] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(run(*GetParam(), p, true).smoothed[0])) << at << ", smoothing " << smoothing;
    }
  }
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(LossKernel);

}  // namespace
}  // namespace verbund::loss_test
