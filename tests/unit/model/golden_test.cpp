// SPDX-License-Identifier: Apache-2.0
// The fused and the reference model against PyTorch's autograd: losses and gradients of small models with known
// weights, as tests/golden/make_golden.py wrote them.
#include <gtest/gtest.h>

#include <cmath>

#include "config/load.h"
#include "core/file.h"
#include "core/json.h"
#include "model/transformer.h"
#include "reference/reference_transformer.h"
#include "support/on_cpu.h"

namespace verbund {
namespace {

constexpr double kLossTolerance = 1e-5, kGradientTolerance = 1e-4;
constexpr uint32_t kMixtureStream = 902;

// The formulas of make_golden.py, to the same bits.
float signed_fraction(uint32_t stream, uint32_t i) {
  uint32_t x = stream * 0x9E3779B1U + i * 0x85EBCA77U + 0x165667B1U;
  x = (x ^ x >> 15) * 0x2C1B3C6DU;
  x = (x ^ x >> 12) * 0x297A2D39U;
  return static_cast<float>((x ^ x >> 15) >> 16) / 32768 - 1;
}

float weight(const Parameter& p, uint32_t stream, uint32_t i) {
  const float value = signed_fraction(stream, i);
  if (p.name.ends_with(".scale")) return 1 + value / 4;
  return value / (p.name.find("embedding") != std::string::npos || p.shape.size() == 1 ? 4 : 2);
}

void set_weights(TranslationModel& model) {
  const std::vector<Parameter>& parameters = model.table().all();
  for (uint32_t stream = 0; stream < parameters.size(); ++stream) {
    const Parameter& p = parameters[stream];
    for (uint32_t i = 0; i < p.size; ++i) {
      model.weights().write().host()[static_cast<size_t>(p.offset) + i] = weight(p, stream, i);
    }
  }
}

Batch make_batch(const Json& sentences) {
  Batch batch;
  const auto append = [](const Json& tokens, std::vector<TokenId>& to) {
    for (const TokenId token : tokens) to.push_back(token);
    return static_cast<int32_t>(tokens.size());
  };
  for (const Json& sentence : sentences) {
    const int32_t source = append(sentence["source"], batch.source);
    const int32_t target = append(sentence["target_input"], batch.target_input);
    append(sentence["target_output"], batch.target_output);
    batch.source_offsets.push_back(batch.source_offsets.back() + source);
    batch.target_offsets.push_back(batch.target_offsets.back() + target);
    batch.longest_source = std::max(batch.longest_source, source);
    batch.longest_target = std::max(batch.longest_target, target);
    batch.sentence_ids.push_back(batch.sentence_ids.size());
  }
  return batch;
}

// Tolerances are relative to the gradient's norm: some of its elements and sums are zero but for rounding.
void expect_gradient(std::span<const float> gradient, const Json& golden) {
  SCOPED_TRACE(golden["name"].get<std::string>());
  double squares = 0, sum = 0, mixture = 0;
  for (uint32_t i = 0; i < gradient.size(); ++i) {
    const double value = gradient[i];
    squares += value * value;
    sum += value;
    mixture += value * signed_fraction(kMixtureStream, i);
  }
  const double norm = golden["norm"], tolerance = kGradientTolerance * norm;
  EXPECT_NEAR(std::sqrt(squares), norm, tolerance);
  EXPECT_NEAR(sum, golden["sum"], tolerance);
  EXPECT_NEAR(mixture, golden["mixture"], tolerance);
  const double typical = norm / std::sqrt(static_cast<double>(gradient.size()));
  for (const Json& element : golden["elements"]) {
    const auto [index, value] = element.get<std::pair<size_t, double>>();
    EXPECT_NEAR(gradient[index], value, kGradientTolerance * (std::abs(value) + typical)) << "element " << index;
  }
}

using MakeModel = std::function<std::unique_ptr<TranslationModel>(const ModelConfig&, VocabularySizes)>;

struct Path {
  const char* name;
  MakeModel make;
};

std::unique_ptr<TranslationModel> make_fused(const ModelConfig& config, VocabularySizes sizes) {
  return make_fused_transformer(cpu(), config, sizes);
}

class Golden : public ::testing::TestWithParam<Path> {};

TEST_P(Golden, LossAndGradients) {
  const Json cases = parse_json(read_file(VERBUND_SOURCE_DIR "/tests/golden/transformer.json"));
  ASSERT_EQ(cases.size(), 4);
  for (const Json& golden : cases) {
    SCOPED_TRACE(golden["name"].get<std::string>());
    ModelConfig config;
    load(parse_yaml(golden["model"].dump(), "transformer.json"), config);  // JSON is YAML
    const auto model = GetParam().make(config, {golden["source_size"], golden["target_size"]});
    set_weights(*model);
    const Batch batch = make_batch(golden["sentences"]);

    const auto expect_loss = [&](const Loss& loss) {
      EXPECT_NEAR(loss.smoothed, golden["smoothed"], kLossTolerance * golden["smoothed"].get<double>());
      EXPECT_NEAR(loss.cross_entropy, golden["plain"], kLossTolerance * golden["plain"].get<double>());
    };
    expect_loss(model->evaluate(batch));
    expect_loss(model->accumulate(batch, Pass{}));

    const std::vector<Parameter>& parameters = model->table().all();
    ASSERT_EQ(parameters.size(), golden["gradients"].size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& p = parameters[i];
      const Json& gradient = golden["gradients"][i];
      ASSERT_EQ(p.name, gradient["name"]);
      ASSERT_EQ(Json(p.shape), gradient["shape"]) << p.name;
      const auto offset = static_cast<size_t>(p.offset), size = static_cast<size_t>(p.size);
      expect_gradient(model->gradients().host().subspan(offset, size), gradient);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, Golden,
                         ::testing::Values(Path{"Fused", make_fused}, Path{"Reference", make_reference_transformer}),
                         [](const auto& path) { return path.param.name; });

}  // namespace
}  // namespace verbund
