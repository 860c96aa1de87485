// SPDX-License-Identifier: Apache-2.0
// The GPU operations on rows of features: norms, ReLU, embeddings, biases and sums over rows.
#include <algorithm>

#include "gpu/gpu.h"

namespace verbund::rows_test {
namespace {

class GpuRows : public GpuTest {};
VERBUND_FOR_EVERY_PRECISION(GpuRows);

struct Shape {
  int64_t n, d;
};
// Rows of one thread and of several strips per thread, odd widths, more rows than blocks and fewer.
std::vector<Shape> shapes() {
  std::vector<Shape> result = {{5, 8}, {40, 64}, {9, 200}, {70, 32}, {5, 512}, {3, 7}, {2, 1025}, {1, 4096}, {1, 1}};
  Random random(17, 0);  // and some that nobody has thought of
  for (int i = 0; i < 4; ++i) {
    const auto n = static_cast<int64_t>(1 + random.below(12));
    result.push_back({n, static_cast<int64_t>(1 + random.below(400))});
  }
  return result;
}

std::string text(const Shape& shape) { return std::to_string(shape.n) + " x " + std::to_string(shape.d); }

const DropoutKey kNoDropout;
DropoutKey dropout() { return dropout_key(0.3, 1, 2, 3); }

struct NormCase {
  bool residual, input_bias, norm, float_input;
  DropoutKey key;
};

TEST_P(GpuRows, NormForward) {
  const NormCase cases[] = {{true, true, true, false, dropout()},
                            {true, false, false, false, dropout()},
                            {false, false, true, true, kNoDropout},
                            {false, true, false, true, kNoDropout}};
  for (const Shape& shape : shapes()) {
    for (const NormCase& c : cases) {
      const auto [n, d] = shape;
      const auto run = [&, n = n, d = d](Device& device) {
        const OnDevice<TokenPosition> positions(device, token_positions(n));
        const OnDevice<float> residual(device, c.residual ? random_values(n * d, 1) : Floats());
        const TypedOnDevice input(device, operands(n * d, 2), c.float_input ? FloatType::kFp32 : type());
        const OnDevice<float> input_bias(device, c.input_bias ? random_values(d, 3) : Floats());
        const OnDevice<float> scale(device, c.norm ? random_values(d, 4) : Floats());
        const OnDevice<float> bias(device, c.norm ? random_values(d, 5) : Floats());
        const OnDevice<float> sum(device, zeros(n * d)), normed(device, zeros(n * d));
        const OnDevice<float> mean(device, zeros(n)), inverse(device, zeros(n));
        const TypedOnDevice rounded_output(device, zeros(n * d), type());
        NormForward op{n,           d,     residual.data(), input.data(),  input_bias.data(), scale.data(),
                       bias.data(), 1e-6f, sum.data(),      normed.data(), mean.data(),       inverse.data()};
        if (!device.is_host()) op.operand = rounded_output.data();
        op.dropout = c.key;
        op.token_positions = positions.data();
        device.norm_forward(op);
        const Floats output = c.norm ? normed.get() : sum.get();
        return Outputs{{"sum", sum.get()},
                       {"normed", normed.get()},
                       {"mean", mean.get()},
                       {"inverse", inverse.get()},
                       {"operand.", device.is_host() ? output : rounded_output.get()}};
      };
      compare(run, text(shape));
    }
  }
}

TEST_P(GpuRows, NormForwardWritesWhatIsWantedAlone) {
  const int64_t n = 9, d = 64;
  const OnDevice<float> ones(device(), Floats(n * d, 1.5f)), scale(device(), Floats(d, 1)), bias(device(), zeros(d));
  const OnDevice<float> sum(device(), zeros(n * d)), mean(device(), zeros(n)), inverse(device(), zeros(n));
  device().norm_forward({n, d, nullptr, ones.data(), nullptr, scale.data(), bias.data(), 1e-6f, sum.data(), nullptr,
                         mean.data(), inverse.data()});
  EXPECT_EQ(mean.get(), Floats(n, 1.5f));
}

// The whole mask, element by element, with a feature more than a whole block of decisions.
TEST_P(GpuRows, MasksAreTheCpusBitByBit) {
  for (const int64_t d : {129, 512, 1152}) {
    const int64_t n = 20;
    const auto run = [&](Device& device) {
      const OnDevice<TokenPosition> positions(device, token_positions(n));
      const TypedOnDevice ones(device, Floats(n * d, 1), type());
      const OnDevice<float> sum(device, zeros(n * d));
      device.norm_forward({.rows = n,
                           .width = d,
                           .input = ones.data(),
                           .sum = sum.data(),
                           .dropout = dropout(),
                           .token_positions = positions.data()});
      device.relu_forward({n, d, ones.data(), nullptr, dropout(), positions.data()});
      return Outputs{{"norm", sum.get()}, {"relu", ones.get()}};
    };
    CpuDevice cpu;
    const Outputs expected = run(cpu), found = in_any_order(run);
    EXPECT_TRUE(same_bits(expected.at("norm"), found.at("norm"))) << d;
    EXPECT_TRUE(same_bits(rounded(expected.at("relu"), type()), found.at("relu"))) << d;
  }
}

TEST_P(GpuRows, NormBackward) {
  struct Case {
    bool norm, normed_gradient, sum_gradient, input_gradient, input_bias, in_place;
  };
  const Case cases[] = {{true, true, true, true, true, true},
                        {true, true, false, true, false, false},
                        {false, false, true, true, true, false},
                        {true, false, true, false, false, true}};
  for (const Shape& shape : shapes()) {
    for (const Case& c : cases) {
      const auto [n, d] = shape;
      const auto run = [&, n = n, d = d](Device& device) {
        const OnDevice<TokenPosition> positions(device, token_positions(n));
        const OnDevice<float> sum(device, random_values(n * d, 1)), mean(device, random_values(n, 2, 0.1));
        const OnDevice<float> inverse(device, Floats(n, 1.7f));
        const OnDevice<float> scale(device, c.norm ? random_values(d, 3) : Floats());
        const OnDevice<float> normed_gradient(device, c.normed_gradient ? random_values(n * d, 4) : Floats());
        const OnDevice<float> sum_gradient(device, c.sum_gradient ? random_values(n * d, 5) : Floats());
        const OnDevice<float> separate(device, zeros(n * d));
        const OnDevice<float>& residual = c.in_place ? sum_gradient : separate;
        const TypedOnDevice input(device, c.input_gradient ? zeros(n * d) : Floats(), type());
        const OnDevice<float> of_scale(device, Floats(d, 2)), of_bias(device, Floats(d, 2));
        const OnDevice<float> of_input(device, c.input_bias ? Floats(d, 2) : Floats());
        const OnDevice<float> partial(device, Floats(partial_sums_size(d), 1e9f));
        device.norm_backward({n, d, sum.data(), mean.data(), inverse.data(), scale.data(), normed_gradient.data(),
                              sum_gradient.data(), residual.data(), input.data(), of_scale.data(), of_bias.data(),
                              of_input.data(), dropout(), positions.data(), partial.data()});
        return Outputs{{"residual", residual.get()},
                       {"input.", input.get()},
                       {"scale", of_scale.get()},
                       {"bias", of_bias.get()},
                       {"input bias.", of_input.get()}};
      };
      compare(run, text(shape));
    }
  }
}

TEST_P(GpuRows, Relu) {
  for (const Shape& shape : shapes()) {
    for (const bool biased : {true, false}) {
      const auto [n, f] = shape;
      const auto run = [&, n = n, f = f](Device& device) {
        const OnDevice<TokenPosition> positions(device, token_positions(n));
        const TypedOnDevice x(device, operands(n * f, 1), type()), gradient(device, operands(n * f, 2), type());
        const OnDevice<float> bias(device, biased ? random_values(f, 3) : Floats());
        const OnDevice<float> of_bias(device, biased ? Floats(f, 2) : Floats());
        const OnDevice<float> partial(device, Floats(partial_sums_size(f), 1e9f));
        device.relu_forward({n, f, x.data(), bias.data(), dropout(), positions.data()});
        device.relu_backward({n, f, x.data(), gradient.data(), 1.25f, of_bias.data(), partial.data()});
        return Outputs{{"output.", x.get()}, {"gradient.", gradient.get()}, {"bias", of_bias.get()}};
      };
      compare(run, text(shape));
    }
  }
}

TEST_P(GpuRows, SmoothActivations) {
  for (const Shape& shape : shapes()) {
    for (const auto activation : {SmoothActivation::kSwish, SmoothActivation::kGelu}) {
      const auto [n, f] = shape;
      const auto run = [&, n = n, f = f](Device& device) {
        const OnDevice<TokenPosition> positions(device, token_positions(n));
        const TypedOnDevice x(device, operands(n * f, 1), type()), gradient(device, operands(n * f, 2), type());
        const TypedOnDevice output(device, zeros(n * f), type());
        const OnDevice<float> bias(device, random_values(f, 3)), of_bias(device, Floats(f, 2));
        const OnDevice<float> partial(device, Floats(partial_sums_size(f), 1e9f));
        device.smooth_forward({n, f, activation, x.data(), bias.data(), output.data(), dropout(), positions.data()});
        device.smooth_backward({n, f, activation, x.data(), bias.data(), gradient.data(), of_bias.data(),
                                partial.data(), dropout(), positions.data()});
        return Outputs{{"output.", output.get()}, {"gradient.", gradient.get()}, {"bias.", of_bias.get()}};
      };
      compare(run, text(shape));
    }
  }
}

// The rows of each token, as a batch has them.
struct HostOrder {
  std::vector<int32_t> tokens, first, rows;

  explicit HostOrder(const std::vector<int32_t>& ids) {
    std::map<int32_t, std::vector<int32_t>> by_token;
    for (size_t i = 0; i < ids.size(); ++i) by_token[ids[i]].push_back(static_cast<int32_t>(i));
    for (const auto& [token, of_token] : by_token) {
      tokens.push_back(token);
      first.push_back(static_cast<int32_t>(rows.size()));
      rows.insert(rows.end(), of_token.begin(), of_token.end());
    }
    first.push_back(static_cast<int32_t>(rows.size()));
  }
};

TEST_P(GpuRows, Embeddings) {
  for (const Shape& shape : shapes()) {
    const auto [n, d] = shape;
    const int64_t vocabulary = 11;
    std::vector<int32_t> ids;
    Random random(7, 0);
    for (int64_t i = 0; i < n; ++i) ids.push_back(static_cast<int32_t>(random.below(vocabulary)));
    const HostOrder order(ids);
    const auto run = [&, n = n, d = d](Device& device) {
      const OnDevice<TokenPosition> positions(device, token_positions(n));
      const OnDevice<int32_t> on_device(device, ids), tokens(device, order.tokens), first(device, order.first);
      const OnDevice<int32_t> token_rows(device, order.rows);
      const OnDevice<float> table(device, random_values(vocabulary * d, 1)), codes(device, random_values(20 * d, 2));
      const OnDevice<float> out(device, zeros(n * d)), gradient(device, random_values(n * d, 3));
      const OnDevice<float> table_gradient(device, random_values(vocabulary * d, 4));
      device.embed_forward(
          {n, d, on_device.data(), table.data(), 3.0f, codes.data(), out.data(), dropout(), positions.data()});
      const TokenOrder sorted = {static_cast<int64_t>(order.tokens.size()), tokens.data(), first.data(),
                                 token_rows.data()};
      device.embed_backward(
          {n, d, on_device.data(), sorted, gradient.data(), 3.0f, table_gradient.data(), dropout(), positions.data()});
      return Outputs{{"output", out.get()}, {"table", table_gradient.get()}};
    };
    compare(run, text(shape));
  }
}

TEST_P(GpuRows, BiasesAndTheirSums) {
  for (const Shape& shape : shapes()) {
    for (const int64_t gap : {0, 3, 8}) {
      const auto [n, d] = shape;
      const auto run = [&, n = n, d = d](Device& device) {
        const TypedOnDevice x(device, operands(n * (d + gap), 1), type()), y(device, operands(n * d, 3), type());
        const OnDevice<float> bias(device, random_values(d, 2)), sums(device, Floats(d, 2));
        const OnDevice<float> partial(device, Floats(partial_sums_size(d), 1e9f));
        device.add_bias({n, d, x.data(), d + gap, bias.data()});
        device.column_sums({n, d, y.data(), sums.data(), partial.data()});
        return Outputs{{"biased.", x.get()}, {"sums", sums.get()}};
      };
      compare(run, text(shape));
    }
  }
}

// Weights begin anywhere in the one buffer of all of them.
TEST_P(GpuRows, ArraysThatAreNotAligned) {
  const int64_t n = 6, d = 64;
  const auto run = [&](Device& device) {
    const TypedOnDevice x(device, operands(n * d + 1, 1), type());
    const OnDevice<float> bias(device, random_values(d + 1, 2)), sums(device, Floats(d + 1, 2));
    const OnDevice<float> partial(device, zeros(partial_sums_size(d)));
    device.add_bias({n, d, x.data() + 1, d, bias.data() + 1});
    device.column_sums({n, d, x.data() + 1, sums.data() + 1, partial.data()});
    return Outputs{{"biased.", x.get()}, {"sums.", sums.get()}};
  };
  compare(run, "one element on");
}

}  // namespace
}  // namespace verbund::rows_test
