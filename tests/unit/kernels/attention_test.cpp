// SPDX-License-Identifier: Apache-2.0
// Attention over packed sentences against the textbook's formula.
#include "unit/kernels/reference.h"

namespace verbund::attention_test {
namespace {

struct Case {
  const char* name;
  int32_t heads, depth;
  bool causal;
  std::vector<int32_t> queries, keys;  // lengths of the sentences
  double dropout;
};
// Lengths around whole vectors, and more keys than one call decides over in dropout (128).
const Case kCases[] = {
    {"encoder", 2, 16, false, {1, 5, 17, 16}, {1, 5, 17, 16}, 0.1},
    {"decoder", 3, 7, true, {1, 2, 40}, {1, 2, 40}, 0.3},
    {"decoder without dropout", 1, 32, true, {33, 1}, {33, 1}, 0},
    {"decoder to encoder", 2, 33, false, {4, 1, 9}, {1, 130, 16}, 0.3},
    {"decoder to encoder without dropout", 1, 5, false, {2, 31}, {150, 2}, 0},
    {"one sentence of one token", 1, 1, true, {1}, {1}, 0},
};

struct Problem {
  const Case& c;
  int64_t width;                     // heads * depth
  int64_t query_stride, key_stride;  // keys and values lie side by side, and rows have gaps
  std::vector<int32_t> query_at{0}, key_at{0};
  std::vector<int64_t> weights_at{0};
  std::vector<uint64_t> sentence_ids;
  DropoutKey key;
  Floats query, key_value, upstream;

  explicit Problem(const Case& the_case)
      : c(the_case),
        width(int64_t{c.heads} * c.depth),
        query_stride(width + 3),
        key_stride(2 * width + 5),
        key(dropout_key(c.dropout, 31, 32, 33)) {
    for (size_t s = 0; s < c.queries.size(); ++s) {
      query_at.push_back(query_at[s] + c.queries[s]);
      key_at.push_back(key_at[s] + c.keys[s]);
      weights_at.push_back(weights_at[s] + int64_t{c.heads} * c.queries[s] * ((c.keys[s] + 15) / 16 * 16));
      sentence_ids.push_back(0x700000000 + 13 * s);
    }
    query = floats(query_at.back() * query_stride, 1, 2);
    key_value = floats(key_at.back() * key_stride, 2, 2);
    upstream = floats(query_at.back() * width, 3);
  }

  AttentionShape shape() const {
    return {c.heads,         c.depth,       c.causal,          static_cast<int32_t>(sentence_ids.size()),
            query_at.data(), key_at.data(), weights_at.data(), sentence_ids.data()};
  }
};

Outputs run(const Kernels& kernels, const Problem& p) {
  Floats weights = filled(p.weights_at.back(), 99), output = filled(p.query_at.back() * p.width, 99);
  Floats query_gradient(p.query.size(), 99), key_value_gradient(p.key_value.size(), 99);
  const float *key = p.key_value.data(), *value = key + p.width;
  kernels.attention_forward(
      {p.shape(), p.query.data(), key, value, p.query_stride, p.key_stride, weights.data(), output.data(), p.key});
  kernels.attention_backward({p.shape(), p.query.data(), key, value, p.query_stride, p.key_stride, weights.data(),
                              p.upstream.data(), query_gradient.data(), key_value_gradient.data(),
                              key_value_gradient.data() + p.width, p.key});
  return {{"output", output}, {"query gradient", query_gradient}, {"key and value gradient", key_value_gradient}};
}

// The output for these queries, keys and values; [rows, width].
Doubles reference(const Kernels& kernels, const Problem& p, const Doubles& query, const Doubles& key_value) {
  Doubles output(p.upstream.size(), 0);
  for (size_t task = 0; task < p.sentence_ids.size() * static_cast<size_t>(p.c.heads); ++task) {
    const size_t s = task / static_cast<size_t>(p.c.heads), head = task % static_cast<size_t>(p.c.heads);
    const int64_t column = static_cast<int64_t>(head) * p.c.depth;
    for (int32_t i = 0; i < p.c.queries[s]; ++i) {
      const int64_t row = p.query_at[s] + i, keys = p.c.causal ? i + 1 : p.c.keys[s];
      Doubles weights;
      double total = 0;
      for (int64_t j = 0; j < keys; ++j) {
        double score = 0;
        for (int64_t k = column; k < column + p.c.depth; ++k) {
          score += query[static_cast<size_t>(row * p.query_stride + k)] *
                   key_value[static_cast<size_t>((p.key_at[s] + j) * p.key_stride + k)];
        }
        weights.push_back(std::exp(score / std::sqrt(p.c.depth)));
        total += weights.back();
      }
      Floats mask = filled(keys);
      kernels.dropout_row(p.key, p.sentence_ids[s], static_cast<uint32_t>(i), static_cast<uint32_t>(512 * head), keys,
                          mask.data());
      for (int64_t j = 0; j < keys; ++j) {
        const double weight = weights[static_cast<size_t>(j)] / total * mask[static_cast<size_t>(j)];
        for (int64_t k = column; k < column + p.c.depth; ++k) {
          output[static_cast<size_t>(row * p.width + k)] +=
              weight * key_value[static_cast<size_t>((p.key_at[s] + j) * p.key_stride + p.width + k)];
        }
      }
    }
  }
  return output;
}

// The kernel must have left the gaps between rows alone; they have no influence, so their gradient is 0.
Floats with_zero_gaps(Floats gradient, int64_t stride, int64_t used) {
  for (size_t i = 0; i < gradient.size(); ++i) {
    if (static_cast<int64_t>(i) % stride < used) continue;
    EXPECT_EQ(gradient[i], 99) << "a gap was written to";
    gradient[i] = 0;
  }
  return gradient;
}

class Attention : public KernelTest {};

TEST_P(Attention, IsTheFormulaAndItsGradient) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Problem p(c);
    const Outputs out = with_any_threads([&] { return run(*GetParam(), p); });
    Doubles query = doubles(p.query), key_value = doubles(p.key_value);
    expect_near(out.at("output"), reference(*GetParam(), p, query, key_value), "output");

    const auto loss = [&] { return inner_product(reference(*GetParam(), p, query, key_value), p.upstream); };
    expect_gradient(with_zero_gaps(out.at("query gradient"), p.query_stride, p.width), query, loss, "query gradient");
    expect_gradient(with_zero_gaps(out.at("key and value gradient"), p.key_stride, 2 * p.width), key_value, loss,
                    "key and value gradient");
  }
}

TEST_P(Attention, TheFutureChangesNoBit) {
  Problem p(kCases[1]);
  const Floats before = run(*GetParam(), p).at("output");
  for (auto i = static_cast<size_t>((p.key_at.back() - 1) * p.key_stride); i < p.key_value.size(); ++i) {
    p.key_value[i] = 1e6f;  // key and value of the very last token
  }
  const Floats after = run(*GetParam(), p).at("output");
  const std::span<const float> old(before), now(after);
  const size_t seen = old.size() - static_cast<size_t>(p.width);
  EXPECT_TRUE(same_bits(old.first(seen), now.first(seen)));
  EXPECT_FALSE(same_bits(old.last(static_cast<size_t>(p.width)), now.last(static_cast<size_t>(p.width))));
}

// Scores of many thousands, whose exponentials are out of range: the best key takes all.
TEST_P(Attention, HugeScoresDoNotOverflow) {
  const Case c = {"", 1, 1, false, {1}, {3}, 0};
  Problem p(c);
  p.query[0] = 1e4f;
  for (const int64_t j : {0, 1, 2}) {
    p.key_value[static_cast<size_t>(j * p.key_stride)] = j == 1 ? 5 : -5;
    p.key_value[static_cast<size_t>(j * p.key_stride + 1)] = static_cast<float>(j + 10);
  }
  EXPECT_EQ(run(*GetParam(), p).at("output")[0], 11);
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(Attention);

}  // namespace
}  // namespace verbund::attention_test
