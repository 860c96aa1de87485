// SPDX-License-Identifier: Apache-2.0
#include "model/parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/random.h"

namespace verbund {
namespace {

constexpr int64_t kAlignment = 16;  // floats: a cache line

double uniform(uint32_t bits) { return (bits + 0.5) * 0x1p-32; }  // in (0, 1)

// The value of element i of parameter p is a function of (seed, p, i).
void fill_normal(std::span<float> values, double deviation, uint64_t seed, uint64_t stream) {
  for (size_t i = 0; i < values.size(); i += 2) {
    const RandomBlock block = philox(seed, stream, i);
    const double radius = std::sqrt(-2 * std::log(uniform(block[0])));
    const double angle = 2 * std::numbers::pi * uniform(block[1]);
    values[i] = static_cast<float>(deviation * radius * std::cos(angle));
    if (i + 1 < values.size()) values[i + 1] = static_cast<float>(deviation * radius * std::sin(angle));
  }
}

void fill_uniform(std::span<float> values, double limit, uint64_t seed, uint64_t stream) {
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(limit * (2 * uniform(philox(seed, stream, i)[0]) - 1));
  }
}

}  // namespace

ParameterTable::ParameterTable(const ModelConfig& config, VocabularySizes vocabularies) {
  const int64_t d = config.d_model;
  if (d % config.heads != 0 || d % 2 != 0) {
    fail_usage("model.d_model is {}, but must be even and a multiple of model.heads, which is {}", d, config.heads);
  }
  if (config.share_embeddings == Sharing::kAll && vocabularies.source != vocabularies.target) {
    fail_usage(
        "model.share_embeddings is all, but the vocabularies have {} and {} pieces: use target or none, or a "
        "dataset with a joint vocabulary",
        vocabularies.source, vocabularies.target);
  }
  const bool pre = config.norm == NormPlace::kPre;
  add("source.embedding", {vocabularies.source, d}, Start::kEmbedding);
  if (config.share_embeddings != Sharing::kAll) add("target.embedding", {vocabularies.target, d}, Start::kEmbedding);
  const auto add_feed_forward = [&](const std::string& layer) {
    add_norm(layer + "ff.norm", d);
    add_linear(layer + "ff.in", config.d_ff, d, config.ff_bias);
    add_linear(layer + "ff.out", d, config.d_ff, config.ff_bias);
  };
  const auto add_self_attention = [&](const std::string& layer) {
    add_norm(layer + "self.norm", d);
    add_linear(layer + "self.qkv", 3 * d, d, config.attention_bias);
    add_linear(layer + "self.out", d, d, config.attention_bias);
  };
  for (int64_t i = 0; i < config.encoder_layers; ++i) {
    const std::string layer = fmt::format("encoder.{}.", i);
    add_self_attention(layer);
    add_feed_forward(layer);
  }
  if (pre) add_norm("encoder.norm", d);
  // Keys and values of all decoder layers are computed from the encoder's output in one GEMM.
  add_linear("decoder.cross.kv", config.decoder_layers * 2 * d, d, config.attention_bias);
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string layer = fmt::format("decoder.{}.", i);
    add_self_attention(layer);
    add_norm(layer + "cross.norm", d);
    add_linear(layer + "cross.q", d, d, config.attention_bias);
    add_linear(layer + "cross.out", d, d, config.attention_bias);
    add_feed_forward(layer);
  }
  if (pre) add_norm("decoder.norm", d);
  if (config.share_embeddings == Sharing::kNone) add("output.weight", {vocabularies.target, d}, Start::kEmbedding);
  if (config.output_bias) add("output.bias", {vocabularies.target}, Start::kZero);
}

void ParameterTable::add(const std::string& name, std::vector<int64_t> shape, Start start) {
  Parameter parameter;
  parameter.name = name;
  parameter.size = 1;
  for (const int64_t extent : shape) parameter.size *= extent;
  parameter.shape = std::move(shape);
  parameter.offset = buffer_size_;
  parameter.start = start;
  buffer_size_ += (parameter.size + kAlignment - 1) / kAlignment * kAlignment;
  parameters_.push_back(std::move(parameter));
}

void ParameterTable::add_norm(const std::string& name, int64_t d) {
  add(name + ".scale", {d}, Start::kOne);
  add(name + ".bias", {d}, Start::kZero);
}

void ParameterTable::add_linear(const std::string& name, int64_t out, int64_t in, bool bias) {
  add(name + ".weight", {out, in}, Start::kDense);
  if (bias) add(name + ".bias", {out}, Start::kZero);
}

bool ParameterTable::has(const std::string& name) const {
  return std::any_of(parameters_.begin(), parameters_.end(), [&](const Parameter& p) { return p.name == name; });
}

const Parameter& ParameterTable::find(const std::string& name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return parameter;
  }
  fail("the model has no parameter {}", name);
}

int64_t ParameterTable::count() const {
  int64_t count = 0;
  for (const Parameter& parameter : parameters_) count += parameter.size;
  return count;
}

void ParameterTable::initialize(uint64_t seed, std::span<float> values) const {
  std::fill(values.begin(), values.end(), 0.0f);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    const auto own = values.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size));
    switch (p.start) {
      case Start::kZero:
        break;
      case Start::kOne:
        std::fill(own.begin(), own.end(), 1.0f);
        break;
      case Start::kEmbedding:
        fill_normal(own, 1 / std::sqrt(static_cast<double>(p.shape[1])), seed, i);
        break;
      case Start::kDense: {
        // Glorot; a matrix that holds several of [in, in] is initialised as those.
        const auto in = static_cast<double>(p.shape[1]);
        const bool several = p.shape[0] % p.shape[1] == 0 && p.name.find("ff.") == std::string::npos;
        fill_uniform(own, std::sqrt(6 / (in + (several ? in : static_cast<double>(p.shape[0])))), seed, i);
        break;
      }
    }
  }
}

}  // namespace verbund
