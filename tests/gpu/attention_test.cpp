// SPDX-License-Identifier: Apache-2.0
// Attention on a GPU: of whole sentences, and of single queries.
#include <algorithm>
#include <numeric>

#include "gpu/gpu.h"

namespace verbund::attention_test {
namespace {

class GpuAttention : public GpuTest {};
VERBUND_FOR_EVERY_PRECISION(GpuAttention);

struct Sentences {
  std::vector<int32_t> queries, keys;
};

Sentences random_sentences(int count, int longest, bool causal, uint64_t seed) {
  Random random(seed, 0);
  Sentences sentences;
  for (int s = 0; s < count; ++s) {
    sentences.queries.push_back(1 + static_cast<int32_t>(random.below(static_cast<uint64_t>(longest))));
    sentences.keys.push_back(causal ? sentences.queries.back()
                                    : 1 + static_cast<int32_t>(random.below(static_cast<uint64_t>(longest))));
  }
  return sentences;
}

// A batch of sentences in a device's memory.
class Batch {
 public:
  Batch(Device& device, const Sentences& sentences, int32_t heads, int32_t depth, bool causal) {
    std::vector<int32_t> query_offsets = {0}, key_offsets = {0};
    std::vector<int64_t> weight_offsets = {0};
    std::vector<uint64_t> names;
    for (size_t s = 0; s < sentences.queries.size(); ++s) {
      const int32_t q = sentences.queries[s], k = sentences.keys[s];
      query_offsets.push_back(query_offsets.back() + q);
      key_offsets.push_back(key_offsets.back() + k);
      weight_offsets.push_back(weight_offsets.back() + int64_t{heads} * q * ((k + 15) / 16 * 16));
      names.push_back(0x300000001U + 77 * s);
    }
    queries = query_offsets.back();
    keys = key_offsets.back();
    weights = weight_offsets.back();
    query_offsets_ = std::make_unique<OnDevice<int32_t>>(device, query_offsets);
    key_offsets_ = std::make_unique<OnDevice<int32_t>>(device, key_offsets);
    weight_offsets_ = std::make_unique<OnDevice<int64_t>>(device, weight_offsets);
    names_ = std::make_unique<OnDevice<uint64_t>>(device, names);
    shape = {heads,
             depth,
             causal,
             static_cast<int32_t>(names.size()),
             query_offsets_->data(),
             key_offsets_->data(),
             weight_offsets_->data(),
             names_->data()};
  }

  AttentionShape shape;
  int64_t queries, keys, weights;

 private:
  std::unique_ptr<OnDevice<int32_t>> query_offsets_, key_offsets_;
  std::unique_ptr<OnDevice<int64_t>> weight_offsets_;
  std::unique_ptr<OnDevice<uint64_t>> names_;
};

struct Case {
  int32_t heads, depth;
  bool causal;
  Sentences sentences;
  double rate;
};

std::string text(const Case& c) {
  return std::to_string(c.heads) + " heads of " + std::to_string(c.depth) + (c.causal ? ", causal" : "") + ", rate " +
         std::to_string(c.rate);
}

TEST_P(GpuAttention, ForwardAndBackward) {
  const Case cases[] = {{2, 8, false, random_sentences(4, 20, false, 1), 0.3},
                        {2, 64, true, random_sentences(3, 70, true, 2), 0.3},
                        {1, 64, false, {{32, 1, 33, 64}, {32, 33, 1, 32}}, 0},
                        {3, 24, true, random_sentences(3, 40, true, 3), 0},
                        {1, 128, false, random_sentences(2, 50, false, 4), 0.1},
                        {1, 128, true, {{7}, {7}}, 0.1},
                        {2, 5, false, random_sentences(3, 20, false, 5), 0.3},
                        {1, 8, false, {{2, 40}, {300, 150}}, 0.3},
                        {1, 16, true, {{530}, {530}}, 0.2}};
  for (const Case& c : cases) {
    const int64_t d = c.heads * c.depth;
    const DropoutKey key = dropout_key(c.rate, 1, 2, 4);
    const auto run = [&](Device& device) {
      const Batch batch(device, c.sentences, c.heads, c.depth, c.causal);
      // Queries alone in their rows, keys and values side by side, as in attention to the encoder.
      const TypedOnDevice query(device, operands(batch.queries * d, 1), type());
      const TypedOnDevice key_value(device, operands(batch.keys * 2 * d, 2), type());
      const TypedOnDevice output(device, zeros(batch.queries * d), type());
      const OnDevice<float> weights(device, Floats(batch.weights, 7));
      device.attention_forward({batch.shape, query.data(), key_value.data(), key_value.data() + d, d, 2 * d,
                                weights.data(), output.data(), key});
      const TypedOnDevice output_gradient(device, operands(batch.queries * d, 3), type());
      const TypedOnDevice query_gradient(device, zeros(batch.queries * d), type());
      const TypedOnDevice key_value_gradient(device, zeros(batch.keys * 2 * d), type());
      device.attention_backward({batch.shape, query.data(), key_value.data(), key_value.data() + d, d, 2 * d,
                                 weights.data(), output_gradient.data(), query_gradient.data(),
                                 key_value_gradient.data(), key_value_gradient.data() + d, key});
      return Outputs{{"weights", weights.get()},
                     {"output.", output.get()},
                     {"query gradient.", query_gradient.get()},
                     {"key and value gradients.", key_value_gradient.get()}};
    };
    compare(run, text(c));
  }
}

// With equal weights and values that are 1 in one feature each, the output shows the mask.
TEST_P(GpuAttention, MasksAreTheCpusBitByBit) {
  const int32_t heads = 2, depth = 128;
  const int64_t d = heads * depth;
  const DropoutKey key = dropout_key(0.4, 1, 2, 4);
  for (const int64_t first : {0, 128}) {
    const auto run = [&](Device& device) {
      const Batch batch(device, {{5, 40}, {200, 256}}, heads, depth, false);
      Floats value = zeros(batch.keys * d);
      for (int64_t row = 0, j = 0; row < batch.keys; ++row, ++j) {
        if (row == 200) j = 0;
        if (j < first || j >= first + depth) continue;
        for (int64_t head = 0; head < heads; ++head) value[row * d + head * depth + j - first] = 1;
      }
      const TypedOnDevice zero(device, zeros(batch.keys * d), type()), values(device, value, type());
      const TypedOnDevice output(device, zeros(batch.queries * d), type());
      const OnDevice<float> weights(device, zeros(batch.weights));
      device.attention_forward(
          {batch.shape, zero.data(), zero.data(), values.data(), d, d, weights.data(), output.data(), key});
      Floats kept = output.get();
      for (float& x : kept) x = x != 0 ? 1 : 0;
      return Outputs{{"kept", kept}};
    };
    CpuDevice cpu;
    const Floats expected = run(cpu).at("kept");
    EXPECT_TRUE(same_bits(expected, in_any_order(run).at("kept")));
    const double share = std::accumulate(expected.begin(), expected.end(), 0.0) / static_cast<double>(expected.size());
    EXPECT_GT(share, 0.4);  // the first sentence's keys end at 200
  }
}

TEST_P(GpuAttention, ChangesNothingBetweenTheKeys) {
  const int32_t heads = 1, depth = 8;
  const Batch batch(device(), {{3}, {5}}, heads, depth, false);
  const TypedOnDevice rows(device(), operands(5 * 3 * depth, 1), type());
  const TypedOnDevice gradient(device(), Floats(5 * 3 * depth, 9), type());
  const TypedOnDevice output(device(), operands(5 * depth, 2), type());
  const OnDevice<float> weights(device(), zeros(batch.weights));
  device().attention_forward({batch.shape,
                              rows.data(),
                              rows.data() + depth,
                              rows.data() + 2 * depth,
                              3 * depth,
                              3 * depth,
                              weights.data(),
                              output.data(),
                              {}});
  device().attention_backward({batch.shape,
                               rows.data(),
                               rows.data() + depth,
                               rows.data() + 2 * depth,
                               3 * depth,
                               3 * depth,
                               weights.data(),
                               output.data(),
                               gradient.data(),
                               gradient.data() + depth,
                               gradient.data() + 2 * depth,
                               {}});
  const Floats found = gradient.get();
  // Rows 3 and 4 are of keys alone: their queries' part is nobody's.
  for (int64_t row = 3; row < 5; ++row) {
    for (int64_t i = 0; i < depth; ++i) EXPECT_EQ(found[static_cast<size_t>(row * 3 * depth + i)], 9);
  }
}

TEST_P(GpuAttention, OfSingleQueries) {
  struct StepCase {
    int64_t heads, depth;
    std::vector<int32_t> counts;
  };
  for (const StepCase& c :
       {StepCase{8, 64, {1, 5, 130, 128}}, StepCase{2, 8, {3, 300}}, StepCase{1, 128, {40}}, StepCase{3, 7, {9, 2}}}) {
    const int64_t d = c.heads * c.depth, rows = static_cast<int64_t>(c.counts.size());
    for (const bool aligned : {true, false}) {
      const auto run = [&](Device& device) {
        const int64_t all = std::accumulate(c.counts.begin(), c.counts.end(), int64_t{0});
        const TypedOnDevice kv_cache(device, operands(all * 2 * d, 1), type());
        const TypedOnDevice query(device, operands(rows * 3 * d, 2, 2), type());
        std::vector<const void*> keys;
        std::vector<int64_t> first;
        // Not in the order of memory.
        for (int64_t i = 0; i < all; ++i) keys.push_back((kv_cache.data() + (i * 7919 % all) * 2 * d).data);
        int64_t begin = 0;
        for (const int32_t count : c.counts) {
          first.push_back(begin);
          begin += count;
        }
        const OnDevice<const void*> key_list(device, keys);
        const OnDevice<int64_t> firsts(device, first);
        const OnDevice<int32_t> counts(device, c.counts), found(device, std::vector<int32_t>(c.counts.size()));
        const TypedOnDevice output(device, zeros(rows * d), type());
        device.step_attention({rows, c.heads, c.depth, query.data(), 3 * d, key_list.data(), firsts.data(),
                               counts.data(), 0, d, output.data(), aligned ? found.data() : nullptr});
        const std::vector<int32_t> places = found.get();
        return Outputs{{"output.", output.get()}, {"aligned", Floats(places.begin(), places.end())}};
      };
      compare(run, std::to_string(c.heads) + " heads of " + std::to_string(c.depth));
    }
  }
}

}  // namespace
}  // namespace verbund::attention_test
