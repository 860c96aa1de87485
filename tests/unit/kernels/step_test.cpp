// SPDX-License-Identifier: Apache-2.0
// Attention of single queries over a kv cache in any order of memory, and the best tokens of a row, against their
// formulas in double precision.
#include <limits>
#include <numeric>

#include "unit/kernels/reference.h"

namespace verbund::step_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Rows whose keys are scattered over memory in random order; all begin with the same key, as the
// beams of a sentence do.
struct Problem {
  int64_t heads, depth, width;
  std::vector<int32_t> counts;
  int64_t query_stride, key_offset = 3, value_offset, key_size;
  Floats query, memory;
  std::vector<std::vector<const float*>> keys;

  Problem(int64_t h, int64_t k, std::vector<int32_t> key_counts)
      : heads(h),
        depth(k),
        width(h * k),
        counts(std::move(key_counts)),
        query_stride(width + 5),
        value_offset(key_offset + width + 2),
        key_size(value_offset + width + 1) {
    const auto all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    query = floats(rows() * query_stride, 1, 2);
    memory = floats(all * key_size, 2, 2);
    std::vector<const float*> places;
    for (int64_t i = 0; i < all; ++i) places.push_back(memory.data() + i * key_size);
    Random random(3, 0);
    shuffle(places.begin(), places.end(), random);
    for (const int32_t count : counts) {
      keys.emplace_back(places.end() - count, places.end());
      keys.back()[0] = memory.data();
      places.resize(places.size() - static_cast<size_t>(count));
    }
  }
  Problem(const Problem&) = delete;

  int64_t rows() const { return static_cast<int64_t>(counts.size()); }
};

struct Attended {
  Floats output;
  std::vector<int32_t> aligned;
};

Attended run(const Kernels& kernels, const Problem& p, bool align = true) {
  std::vector<const void*> keys;
  std::vector<int64_t> first;
  for (const auto& list : p.keys) {
    first.push_back(static_cast<int64_t>(keys.size()));
    keys.insert(keys.end(), list.begin(), list.end());
  }
  Attended result = {filled(p.rows() * p.width, 99), std::vector<int32_t>(p.counts.size(), 99)};
  kernels.step_attention({p.rows(), p.heads, p.depth, p.query.data(), p.query_stride, keys.data(), first.data(),
                          p.counts.data(), p.key_offset, p.value_offset, result.output.data(),
                          align ? result.aligned.data() : nullptr});
  return result;
}

struct Reference {
  Doubles output;
  std::vector<Doubles> weights;  // of each row: of its keys, summed over the heads
};

Reference reference(const Problem& p) {
  Reference result;
  for (size_t row = 0; row < p.counts.size(); ++row) {
    Doubles total(p.keys[row].size(), 0);
    for (int64_t head = 0; head < p.heads; ++head) {
      const float* query = p.query.data() + static_cast<int64_t>(row) * p.query_stride + head * p.depth;
      Doubles weights, output(static_cast<size_t>(p.depth), 0);
      for (const float* key : p.keys[row]) {
        double score = 0;
        for (int64_t i = 0; i < p.depth; ++i) score += double{query[i]} * key[p.key_offset + head * p.depth + i];
        weights.push_back(std::exp(score / std::sqrt(p.depth)));
      }
      const double partition = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (size_t j = 0; j < weights.size(); ++j) {
        total[j] += weights[j] / partition;
        const float* value = p.keys[row][j] + p.value_offset + head * p.depth;
        for (size_t i = 0; i < output.size(); ++i) output[i] += weights[j] / partition * value[i];
      }
      result.output.insert(result.output.end(), output.begin(), output.end());
    }
    result.weights.push_back(total);
  }
  return result;
}

class StepAttentionKernel : public KernelTest {};

TEST_P(StepAttentionKernel, IsTheFormula) {
  const std::vector<int32_t> counts = {1, 2, 15, 16, 17, 130, 1};
  for (const auto& [heads, depth] : {std::pair{1, 1}, {2, 7}, {4, 8}, {3, 16}, {1, 33}, {8, 64}}) {
    SCOPED_TRACE(::testing::Message() << heads << " heads of " << depth);
    const Problem p(heads, depth, counts);
    Attended result;
    with_any_threads([&] {
      result = run(*GetParam(), p);
      return Outputs{{"output", result.output}, {"aligned", Floats(result.aligned.begin(), result.aligned.end())}};
    });
    const Reference expected = reference(p);
    expect_near(result.output, expected.output, "output");
    for (size_t row = 0; row < counts.size(); ++row) {
      const Doubles& weights = expected.weights[row];
      EXPECT_EQ(result.aligned[row], std::max_element(weights.begin(), weights.end()) - weights.begin()) << row;
    }
    EXPECT_TRUE(same_bits(run(*GetParam(), p, false).output, result.output)) << "without alignment";
  }
}

TEST_P(StepAttentionKernel, OfEqualKeysTheFirstIsAligned) {
  Problem p(2, 5, {20});
  std::fill(p.keys[0].begin() + 3, p.keys[0].end(), p.keys[0][3]);
  std::fill(p.keys[0].begin(), p.keys[0].begin() + 3, p.keys[0][0]);
  const Doubles weights = reference(p).weights[0];
  ASSERT_NE(weights[0], weights[3]);
  EXPECT_EQ(run(*GetParam(), p).aligned[0], weights[0] > weights[3] ? 0 : 3);
}

TEST_P(StepAttentionKernel, HugeScoresDoNotOverflow) {
  Problem p(1, 1, {3});
  p.query[0] = 1e4f;
  const float rows[3][8] = {{0, 0, 0, -5, 0, 0, 10, 0}, {0, 0, 0, 5, 0, 0, 11, 0}, {0, 0, 0, -5, 0, 0, 12, 0}};
  ASSERT_EQ(p.value_offset, 6);
  p.keys[0] = {rows[0], rows[1], rows[2]};
  const Attended result = run(*GetParam(), p);
  EXPECT_EQ(result.output[0], 11);
  EXPECT_EQ(result.aligned[0], 1);
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(StepAttentionKernel);

struct Best {
  std::vector<int32_t> tokens;
  Floats log_probabilities, log_partition;
};

Best run(const Kernels& kernels, int64_t vocabulary, int64_t count, const Floats& logits) {
  const auto rows = static_cast<int64_t>(logits.size()) / vocabulary;
  Best result = {std::vector<int32_t>(static_cast<size_t>(rows * count), 99), filled(rows * count, 99),
                 filled(rows, 99)};
  kernels.best_tokens({rows, vocabulary, logits.data(), count, result.tokens.data(), result.log_probabilities.data(),
                       result.log_partition.data()});
  return result;
}

// All tokens are sorted, and the first are the best.
void expect_best(const Kernels& kernels, int64_t vocabulary, int64_t count, const Floats& logits) {
  Best result;
  with_any_threads([&] {
    result = run(kernels, vocabulary, count, logits);
    return Outputs{{"tokens", Floats(result.tokens.begin(), result.tokens.end())},
                   {"log-probabilities", result.log_probabilities},
                   {"log-partition", result.log_partition}};
  });
  for (size_t row = 0; row < result.log_partition.size(); ++row) {
    const float* x = logits.data() + static_cast<int64_t>(row) * vocabulary;
    std::vector<int32_t> order(static_cast<size_t>(vocabulary));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return x[a] > x[b]; });
    const double highest = x[order[0]];
    double partition = 0;
    for (int64_t i = 0; i < vocabulary; ++i) partition += std::exp(x[i] - highest);
    const double log_partition = highest + std::log(partition), tolerance = 2e-6 * (1 + std::abs(highest));
    EXPECT_NEAR(result.log_partition[row], log_partition, tolerance) << row;
    for (int64_t i = 0; i < count; ++i) {
      const auto at = row * static_cast<size_t>(count) + static_cast<size_t>(i);
      const int32_t token = i < vocabulary ? order[static_cast<size_t>(i)] : -1;
      const bool possible = token >= 0 && x[token] > -kInfinity;
      ASSERT_EQ(result.tokens[at], possible ? token : -1) << "row " << row << ", place " << i;
      if (possible) {
        ASSERT_NEAR(result.log_probabilities[at], x[token] - log_partition, tolerance) << "row " << row << ", " << i;
      } else {
        ASSERT_EQ(result.log_probabilities[at], -kInfinity) << "row " << row << ", place " << i;
      }
    }
  }
}

class BestTokensKernel : public KernelTest {};

TEST_P(BestTokensKernel, AreTheFirstOfAllInOrder) {
  for (const auto& [rows, vocabulary] : {std::pair{3, 1}, {7, 5}, {2, 16}, {5, 17}, {40, 333}, {2, 5000}}) {
    for (const int64_t count : {1, 4, 10, 40}) {
      SCOPED_TRACE(::testing::Message() << count << " of " << vocabulary);
      for (const double size : {1.0, 20.0, 1000.0}) {
        expect_best(*GetParam(), vocabulary, count, floats(rows * vocabulary, 5, size));
      }
    }
  }
}

TEST_P(BestTokensKernel, OfEqualsTheLowerNumberComesFirst) {
  Floats logits = floats(4 * 333, 6, 3);
  for (float& logit : logits) logit = std::round(logit);  // seven values only
  std::fill(logits.begin(), logits.begin() + 333, 0.5f);
  for (const int64_t count : {1, 8, 100}) expect_best(*GetParam(), 333, count, logits);
}

TEST_P(BestTokensKernel, InOrderOrAgainstIt) {
  Floats logits(200);
  std::iota(logits.begin(), logits.begin() + 100, 0.0f);
  std::reverse_copy(logits.begin(), logits.begin() + 100, logits.begin() + 100);
  for (const int64_t count : {1, 8, 100, 120}) expect_best(*GetParam(), 100, count, logits);
}

TEST_P(BestTokensKernel, TheImpossibleIsLeftOut) {
  Floats logits = filled(40, -kInfinity);
  logits[7] = 1;
  logits[38] = 2;
  expect_best(*GetParam(), 40, 4, logits);
}

// Wherever it stands: whoever asks for the best must come to see it.
TEST_P(BestTokensKernel, ANumberThatIsNoneIsNotHidden) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
    for (const size_t at : {0U, 3U, 17U, 35U}) {
      Floats logits = floats(2 * 36, 7);
      logits[at] = bad;
      const Best result = run(*GetParam(), 36, 3, logits);
      EXPECT_TRUE(std::isnan(result.log_partition[0])) << bad << " at " << at;
      EXPECT_TRUE(std::isnan(result.log_probabilities[0])) << bad << " at " << at;
      EXPECT_FALSE(std::isnan(result.log_partition[1])) << "the other row";
    }
  }
  const Best nothing = run(*GetParam(), 36, 3, filled(36, -kInfinity));
  EXPECT_TRUE(std::isnan(nothing.log_partition[0]));
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(BestTokensKernel);

}  // namespace
}  // namespace verbund::step_test
