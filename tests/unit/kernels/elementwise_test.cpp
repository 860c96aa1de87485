// SPDX-License-Identifier: Apache-2.0
// ReLU and other activations, embeddings, biases and their sums against loops in double precision.
#include "unit/kernels/reference.h"

namespace verbund::elementwise_test {
namespace {

struct Shape {
  int64_t n, d;
};
constexpr Shape kShapes[] = {{1, 1}, {2, 16}, {5, 7}, {70, 33}, {33, 140}};

class Elementwise : public KernelTest {
 public:
  // Calls check(n, d, key, positions, mask [n, d]) for every shape, with and without dropout.
  template <typename Check>
  void for_every_case(Check check) {
    for (const auto& [n, d] : kShapes) {
      for (const double rate : {0.0, 0.25}) {
        SCOPED_TRACE(::testing::Message() << n << " x " << d << ", dropout " << rate);
        const DropoutKey key = dropout_key(rate, 21, 22, 23);
        const std::vector<TokenPosition> positions = token_positions(n);
        check(n, d, key, positions, mask_of(*GetParam(), key, positions, d));
      }
    }
  }
};

TEST_P(Elementwise, Relu) {
  for_every_case([&](int64_t n, int64_t d, const DropoutKey& key, const auto& positions, const Doubles& mask) {
    for (const bool biased : {true, false}) {
      const Floats x = floats(n * d, 1), bias = biased ? floats(d, 2, 0.5) : Floats(), upstream = floats(n * d, 3);
      const Outputs out = with_any_threads([&] {
        Floats output = x, gradient = upstream, bias_gradient = filled(biased ? d : 0, kBefore);
        Floats partial = filled(partial_sums_size(d), 99);
        GetParam()->relu_forward({n, d, output.data(), biased ? bias.data() : nullptr, key, positions.data()});
        GetParam()->relu_backward(
            {n, d, output.data(), gradient.data(), key.scale, data_or_null(bias_gradient), partial.data()});
        return Outputs{{"output", output}, {"gradient", gradient}, {"bias gradient", without_before(bias_gradient)}};
      });
      Doubles input = doubles(x), shift = biased ? doubles(bias) : Doubles(static_cast<size_t>(d), 0), output;
      const auto loss = [&] {
        output = input;
        for (size_t i = 0; i < output.size(); ++i) {
          output[i] = std::max(0.0, input[i] + shift[i % shift.size()]) * mask[i];
        }
        return inner_product(output, upstream);
      };
      loss();
      expect_near(out.at("output"), output, "output");
      expect_gradient(out.at("gradient"), input, loss, "gradient");
      if (biased) expect_gradient(out.at("bias gradient"), shift, loss, "bias gradient");
    }
  });
}

double activated(SmoothActivation activation, double x) {
  return activation == SmoothActivation::kSwish ? x / (1 + std::exp(-x)) : 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

TEST_P(Elementwise, SmoothActivations) {
  for_every_case([&](int64_t n, int64_t d, const DropoutKey& key, const auto& positions, const Doubles& mask) {
    for (const auto activation : {SmoothActivation::kSwish, SmoothActivation::kGelu}) {
      for (const bool biased : {true, false}) {
        const Floats x = floats(n * d, 1, 3), bias = biased ? floats(d, 2, 0.5) : Floats(), upstream = floats(n * d, 3);
        const float* shifts = biased ? bias.data() : nullptr;
        const Outputs out = with_any_threads([&] {
          Floats output = filled(n * d), gradient = upstream, bias_gradient = filled(biased ? d : 0, kBefore);
          Floats partial = filled(partial_sums_size(d), 99);
          GetParam()->smooth_forward({n, d, activation, x.data(), shifts, output.data(), key, positions.data()});
          GetParam()->smooth_backward({n, d, activation, x.data(), shifts, gradient.data(), data_or_null(bias_gradient),
                                       partial.data(), key, positions.data()});
          return Outputs{{"output", output}, {"gradient", gradient}, {"bias gradient", without_before(bias_gradient)}};
        });
        Doubles input = doubles(x), shift = biased ? doubles(bias) : Doubles(static_cast<size_t>(d), 0), output;
        const auto loss = [&] {
          output = input;
          for (size_t i = 0; i < output.size(); ++i) {
            output[i] = activated(activation, input[i] + shift[i % shift.size()]) * mask[i];
          }
          return inner_product(output, upstream);
        };
        loss();
        expect_near(out.at("output"), output, "output");
        expect_gradient(out.at("gradient"), input, loss, "gradient");
        if (biased) expect_gradient(out.at("bias gradient"), shift, loss, "bias gradient");
      }
    }
  });
}

// The ends of the range, and a number that is none, which must be seen.
TEST_P(Elementwise, SmoothActivationsOfExtremes) {
  for (const auto activation : {SmoothActivation::kSwish, SmoothActivation::kGelu}) {
    const Floats x = {-1e4f, -100, -20, 0, 20, 100, 1e4f, std::numeric_limits<float>::quiet_NaN()};
    const std::vector<TokenPosition> positions = token_positions(1);
    const auto n = static_cast<int64_t>(x.size());
    Floats output = filled(n), slope = Floats(x.size(), 1), partial = filled(partial_sums_size(n));
    GetParam()->smooth_forward({1, n, activation, x.data(), nullptr, output.data(), {}, positions.data()});
    GetParam()->smooth_backward(
        {1, n, activation, x.data(), nullptr, slope.data(), nullptr, partial.data(), {}, positions.data()});
    for (size_t i = 0; i + 1 < x.size(); ++i) {
      EXPECT_NEAR(output[i], std::max(0.0f, x[i]), 1e-6 + 1e-6 * std::abs(x[i])) << x[i];
      EXPECT_NEAR(slope[i], x[i] == 0 ? 0.5 : x[i] > 0 ? 1 : 0, 1e-6) << x[i];
    }
    EXPECT_TRUE(std::isnan(output.back()));
    EXPECT_TRUE(std::isnan(slope.back()));
  }
}

TEST_P(Elementwise, Embeddings) {
  constexpr int64_t kEntries = 5;  // fewer than tokens: they repeat
  constexpr float kFactor = 1.7f;
  for_every_case([&](int64_t n, int64_t d, const DropoutKey& key, const auto& positions, const Doubles& mask) {
    const Floats table = floats(kEntries * d, 1), codes = floats((n + 1) * d, 2), upstream = floats(n * d, 3);
    std::vector<int32_t> ids;
    Random random(4, 0);
    for (int64_t row = 0; row < n; ++row) ids.push_back(static_cast<int32_t>(random.below(kEntries)));
    const Outputs out = with_any_threads([&] {
      Floats output = filled(n * d), gradient = filled(kEntries * d, kBefore);
      GetParam()->embed_forward(
          {n, d, ids.data(), table.data(), kFactor, codes.data(), output.data(), key, positions.data()});
      GetParam()->embed_backward(
          {n, d, ids.data(), {}, upstream.data(), kFactor, gradient.data(), key, positions.data()});
      return Outputs{{"output", output}, {"gradient", without_before(gradient)}};
    });
    Doubles entries = doubles(table), output(static_cast<size_t>(n * d));
    const auto loss = [&] {
      for (int64_t row = 0; row < n; ++row) {
        for (int64_t i = 0; i < d; ++i) {
          const auto position = static_cast<int64_t>(positions[static_cast<size_t>(row)].position);
          const auto entry = static_cast<size_t>(ids[static_cast<size_t>(row)] * d + i);
          const auto at = static_cast<size_t>(row * d + i);
          output[at] = (entries[entry] * kFactor + codes[static_cast<size_t>(position * d + i)]) * mask[at];
        }
      }
      return inner_product(output, upstream);
    };
    loss();
    expect_near(out.at("output"), output, "output");
    expect_gradient(out.at("gradient"), entries, loss, "gradient");
  });
}

TEST_P(Elementwise, BiasesAndTheirSums) {
  for (const auto& [n, d] : kShapes) {
    SCOPED_TRACE(::testing::Message() << n << " x " << d);
    const Floats x = floats(n * d, 1), bias = floats(d, 2);
    const Outputs out = with_any_threads([&, n = n, d = d] {
      Floats added = x, sums = filled(d, kBefore), partial = filled(partial_sums_size(d), 99);
      GetParam()->add_bias({n, d, added.data(), d, bias.data()});
      GetParam()->column_sums({n, d, x.data(), sums.data(), partial.data()});
      return Outputs{{"added", added}, {"sums", without_before(sums)}};
    });
    Doubles added = doubles(x), sums(bias.size(), 0);
    for (size_t i = 0; i < x.size(); ++i) {
      added[i] += bias[i % bias.size()];
      sums[i % bias.size()] += x[i];
    }
    expect_near(out.at("added"), added, "added");
    expect_near(out.at("sums"), sums, "sums", 1e-5);
  }
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(Elementwise);

}  // namespace
}  // namespace verbund::elementwise_test
