// SPDX-License-Identifier: Apache-2.0
// Residual + dropout + layer norm against the textbook's formula.
#include "unit/kernels/reference.h"

namespace verbund::norm_test {
namespace {

constexpr float kEpsilon = 1e-6f;

struct Shape {
  int64_t n, d;
};
// Fewer rows than blocks of rows and more, widths around whole vectors and whole masks.
constexpr Shape kShapes[] = {{1, 16}, {5, 7}, {40, 33}, {3, 131}, {33, 144}};

// The ways in which the model calls it.
struct Use {
  const char* name;
  bool norm, residual, input_bias, sum_gradient, in_place, input_gradient;
  double dropout;
};
constexpr Use kUses[] = {
    {"inside a pre-norm stack", true, true, true, true, true, true, 0.3},
    {"without dropout and biases", true, true, false, true, false, true, 0},
    {"the first norm", true, false, false, true, false, false, 0},
    {"the sum is not used again", true, true, true, false, false, true, 0.1},
    {"no norm after the sum", false, true, true, true, false, true, 0.5},
};

struct Inputs {
  Floats residual, input, input_bias, scale, bias;
  Floats normed_gradient, sum_gradient;

  Inputs(const Shape& shape, const Use& use) {
    const auto [n, d] = shape;
    const auto if_used = [](bool used, Floats values) { return used ? std::move(values) : Floats(); };
    residual = if_used(use.residual, floats(n * d, 1));
    input = floats(n * d, 2);
    input_bias = if_used(use.input_bias, floats(d, 3));
    scale = if_used(use.norm, floats(d, 4));
    bias = if_used(use.norm, floats(d, 5));
    normed_gradient = if_used(use.norm, floats(n * d, 6));
    sum_gradient = if_used(use.sum_gradient, floats(n * d, 7));
  }
};

Outputs run(const Kernels& kernels, const Shape& shape, const Use& use, Inputs in, const DropoutKey& key,
            const std::vector<TokenPosition>& positions) {
  const auto [n, d] = shape;
  Floats sum = filled(n * d), normed = use.norm ? filled(n * d) : Floats(), mean = filled(n), inverse = filled(n);
  kernels.norm_forward({n,
                        d,
                        data_or_null(in.residual),
                        in.input.data(),
                        data_or_null(in.input_bias),
                        data_or_null(in.scale),
                        data_or_null(in.bias),
                        kEpsilon,
                        sum.data(),
                        data_or_null(normed),
                        mean.data(),
                        inverse.data(),
                        {},
                        key,
                        positions.data()});

  Floats residual_gradient = filled(n * d), input_gradient = use.input_gradient ? filled(n * d) : Floats();
  Floats scale_gradient = filled(d, kBefore), bias_gradient = filled(d, kBefore);
  Floats input_bias_gradient = use.input_bias ? filled(d, kBefore) : Floats();
  Floats partial = filled(partial_sums_size(d), 99);
  float* out = use.in_place ? in.sum_gradient.data() : residual_gradient.data();
  kernels.norm_backward({n, d, sum.data(), mean.data(), inverse.data(), data_or_null(in.scale),
                         data_or_null(in.normed_gradient), data_or_null(in.sum_gradient), out,
                         data_or_null(input_gradient), scale_gradient.data(), bias_gradient.data(),
                         data_or_null(input_bias_gradient), key, positions.data(), partial.data()});
  if (use.in_place) residual_gradient = in.sum_gradient;
  return {{"sum", sum},
          {"normed", normed},
          {"residual gradient", residual_gradient},
          {"input gradient", input_gradient},
          {"scale gradient", without_before(scale_gradient)},
          {"bias gradient", without_before(bias_gradient)},
          {"input bias gradient", without_before(input_bias_gradient)}};
}

struct Reference {
  size_t d;
  Doubles residual, input, input_bias, scale, bias, mask;  // what is not used is empty
  Doubles sum, normed;

  void forward() {
    sum.resize(input.size());
    normed.resize(scale.empty() ? 0 : input.size());
    for (size_t first = 0; first < input.size(); first += d) {
      double mean = 0, variance = 0;
      for (size_t i = 0; i < d; ++i) {
        const double added = input[first + i] + (input_bias.empty() ? 0 : input_bias[i]);
        sum[first + i] = added * mask[first + i] + (residual.empty() ? 0 : residual[first + i]);
        mean += sum[first + i];
      }
      if (scale.empty()) continue;
      mean /= static_cast<double>(d);
      for (size_t i = 0; i < d; ++i) variance += (sum[first + i] - mean) * (sum[first + i] - mean);
      const double inverse = 1 / std::sqrt(variance / static_cast<double>(d) + kEpsilon);
      for (size_t i = 0; i < d; ++i) {
        normed[first + i] = (sum[first + i] - mean) * inverse * scale[i] + bias[i];
      }
    }
  }
};

class Norm : public KernelTest {};

TEST_P(Norm, IsTheFormulaAndItsGradient) {
  for (const Shape& shape : kShapes) {
    for (const Use& use : kUses) {
      SCOPED_TRACE(::testing::Message() << use.name << ", " << shape.n << " x " << shape.d);
      const Inputs in(shape, use);
      const DropoutKey key = dropout_key(use.dropout, 11, 12, 13);
      const std::vector<TokenPosition> positions = token_positions(shape.n);
      const Outputs out = with_any_threads([&] { return run(*GetParam(), shape, use, in, key, positions); });

      Reference reference = {static_cast<size_t>(shape.d),
                             doubles(in.residual),
                             doubles(in.input),
                             doubles(in.input_bias),
                             doubles(in.scale),
                             doubles(in.bias),
                             mask_of(*GetParam(), key, positions, shape.d),
                             {},
                             {}};
      reference.forward();
      expect_near(out.at("sum"), reference.sum, "sum");
      expect_near(out.at("normed"), reference.normed, "normed");

      const auto loss = [&] {
        reference.forward();
        return (use.norm ? inner_product(reference.normed, in.normed_gradient) : 0) +
               (use.sum_gradient ? inner_product(reference.sum, in.sum_gradient) : 0);
      };
      if (use.residual) expect_gradient(out.at("residual gradient"), reference.residual, loss, "residual gradient");
      if (use.input_gradient) expect_gradient(out.at("input gradient"), reference.input, loss, "input gradient");
      if (use.input_bias) {
        expect_gradient(out.at("input bias gradient"), reference.input_bias, loss, "input bias gradient");
      }
      if (use.norm) {
        expect_gradient(out.at("scale gradient"), reference.scale, loss, "scale gradient");
        expect_gradient(out.at("bias gradient"), reference.bias, loss, "bias gradient");
      }
    }
  }
}

// The mean of squares minus the square of the mean would lose everything here.
TEST_P(Norm, KeepsItsPrecisionFarFromZero) {
  const int64_t d = 48;
  Floats input = floats(d, 1, 0.01), scale = filled(d, 1), bias = filled(d), sum = filled(d), normed = filled(d);
  for (float& value : input) value += 100;
  float mean = 0, inverse = 0;
  GetParam()->norm_forward({1, d, nullptr, input.data(), nullptr, scale.data(), bias.data(), kEpsilon, sum.data(),
                            normed.data(), &mean, &inverse});
  double squares = 0;
  for (const float value : normed) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(squares / d, 1, 0.05);
}

VERBUND_FOR_EVERY_INSTRUCTION_SET(Norm);

}  // namespace
}  // namespace verbund::norm_test
