// SPDX-License-Identifier: Apache-2.0
#include "reference/reference_transformer.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

#include "core/error.h"
#include "device/cpu_device.h"
#include "model/position_codes.h"

namespace verbund {
namespace {

using torch::Tensor;

// One side of a batch: its tokens, and their cells in a padded [sentences, longest] grid.
struct Side {
  const std::vector<int32_t>& offsets;
  const Batch& batch;
  int64_t sentences, longest, count;
  Tensor ids;       // [count]
  Tensor grid;      // [sentences * longest] row of each cell, `count` for padding
  Tensor cells;     // [count] cell of each row
  Tensor is_token;  // [sentences, longest]

  Side(const Batch& b, const std::vector<TokenId>& tokens, const std::vector<int32_t>& at, int64_t longest_sentence)
      : offsets(at),
        batch(b),
        sentences(static_cast<int64_t>(b.sentences())),
        longest(longest_sentence),
        count(static_cast<int64_t>(tokens.size())),
        ids(torch::tensor(std::vector<int64_t>(tokens.begin(), tokens.end()), torch::kLong)) {
    std::vector<int64_t> rows(static_cast<size_t>(sentences * longest), count), places(tokens.size());
    for (int64_t s = 0; s < sentences; ++s) {
      for (int64_t row = at[static_cast<size_t>(s)]; row < at[static_cast<size_t>(s) + 1]; ++row) {
        const int64_t cell = s * longest + row - at[static_cast<size_t>(s)];
        rows[static_cast<size_t>(cell)] = row;
        places[static_cast<size_t>(row)] = cell;
      }
    }
    grid = torch::tensor(rows, torch::kLong);
    cells = torch::tensor(places, torch::kLong);
    is_token = (grid < count).view({sentences, longest});
  }

  // [count, h * depth] -> [sentences, h, longest, depth]
  Tensor spread(const Tensor& packed, int64_t heads) const {
    const Tensor padded = torch::cat({packed, torch::zeros({1, packed.size(1)}, packed.options())});
    return padded.index_select(0, grid).view({sentences, longest, heads, -1}).transpose(1, 2);
  }
  // and back
  Tensor pack(const Tensor& spread_out) const {
    return spread_out.transpose(1, 2).reshape({sentences * longest, -1}).index_select(0, cells);
  }
};

// The computation itself, on any floating-point type.
class ReferenceComputation {
 public:
  ReferenceComputation(const ModelConfig& config, const ParameterTable& table, const std::vector<Tensor>& parameters,
                       const Pass& pass)
      : config_(config), table_(table), parameters_(parameters), pass_(pass), options_(parameters[0].options()) {}

  // Logits of every target token, [T, v].
  Tensor logits(const Batch& batch) {
    const Side source(batch, batch.source, batch.source_offsets, batch.longest_source);
    const Side target(batch, batch.target_input, batch.target_offsets, batch.longest_target);
    const Tensor encoded = encode(source);
    const Tensor decoded = decode(source, target, encoded);
    const Tensor output = config_.share_embeddings == Sharing::kNone ? get("output.weight") : target_embedding();
    const Tensor logits = torch::matmul(decoded, output.t());
    return config_.output_bias ? logits + get("output.bias") : logits;
  }

 private:
  Tensor get(const std::string& name) const {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (table_.all()[i].name == name) return parameters_[i];
    }
    fail("the model has no parameter {}", name);
  }
  Tensor target_embedding() const {
    return get(config_.share_embeddings == Sharing::kAll ? "source.embedding" : "target.embedding");
  }

  Tensor linear(const std::string& name, const Tensor& x) const {
    const Tensor y = torch::matmul(x, get(name + ".weight").t());
    return table_.has(name + ".bias") ? y + get(name + ".bias") : y;
  }

  Tensor norm(const std::string& name, const Tensor& x) const {
    return torch::layer_norm(x, {config_.d_model}, get(name + ".scale"), get(name + ".bias"), config_.norm_epsilon);
  }

  // [count, features] packed rows.
  Tensor dropped(const Tensor& x, double rate, uint32_t site_number, const Side& side) const {
    const DropoutKey key = dropout_key(pass_.training ? rate : 0, pass_.seed, pass_.step, site_number);
    if (key.threshold == 0) return x;
    const int64_t features = x.size(1);
    std::vector<float> mask(static_cast<size_t>(side.count * features));
    for (int64_t s = 0; s < side.sentences; ++s) {
      const int32_t begin = side.offsets[static_cast<size_t>(s)], end = side.offsets[static_cast<size_t>(s) + 1];
      for (int32_t row = begin; row < end; ++row) {
        choose_kernels().dropout_row(key, side.batch.sentence_ids[static_cast<size_t>(s)],
                                     static_cast<uint32_t>(row - begin), 0, features, mask.data() + row * features);
      }
    }
    return x * torch::tensor(mask).view({side.count, features}).to(options_);
  }

  Tensor attention(const std::string& out, const Tensor& q, const Tensor& k, const Tensor& v, const Side& queries,
                   const Side& keys, bool causal, uint32_t site_number) const {
    const int64_t heads = config_.heads;
    const double factor = 1 / std::sqrt(static_cast<double>(config_.d_model / heads));
    Tensor scores = torch::matmul(queries.spread(q, heads), keys.spread(k, heads).transpose(2, 3)) * factor;
    Tensor allowed = keys.is_token.view({keys.sentences, 1, 1, keys.longest});
    if (causal) {
      allowed = allowed & torch::ones({queries.longest, keys.longest}, torch::kBool).tril();
    }
    scores = scores.masked_fill(allowed.logical_not(), -std::numeric_limits<double>::infinity());
    Tensor weights = torch::softmax(scores, -1);
    const DropoutKey key =
        dropout_key(pass_.training ? config_.attention_dropout : 0, pass_.seed, pass_.step, site_number);
    if (key.threshold > 0) weights = weights * weight_mask(key, queries, keys);
    return linear(out, queries.pack(torch::matmul(weights, keys.spread(v, heads))));
  }

  Tensor weight_mask(const DropoutKey& key, const Side& queries, const Side& keys) const {
    const int64_t heads = config_.heads;
    std::vector<float> mask(static_cast<size_t>(queries.sentences * heads * queries.longest * keys.longest));
    float* row = mask.data();
    for (int64_t s = 0; s < queries.sentences; ++s) {
      for (int64_t head = 0; head < heads; ++head) {
        for (int64_t i = 0; i < queries.longest; ++i, row += keys.longest) {
          choose_kernels().dropout_row(key, queries.batch.sentence_ids[static_cast<size_t>(s)],
                                       static_cast<uint32_t>(i), static_cast<uint32_t>(head) * 512, keys.longest, row);
        }
      }
    }
    return torch::tensor(mask).view({queries.sentences, heads, queries.longest, keys.longest}).to(options_);
  }

  Tensor embed(const Tensor& embedding, const Side& side, uint32_t site_number) const {
    const int64_t d = config_.d_model;
    const Tensor codes =
        torch::tensor(position_codes(config_.positions, side.longest, d)).view({side.longest, d}).to(options_);
    const Tensor positions = side.cells.remainder(side.longest);
    const double factor = config_.scale_embeddings ? std::sqrt(static_cast<double>(d)) : 1;
    const Tensor x = embedding.index_select(0, side.ids) * factor + codes.index_select(0, positions);
    return dropped(x, config_.dropout, site_number, side);
  }

  // x + dropout(f(norm(x))), or norm(x + dropout(f(x))).
  template <typename Sublayer>
  Tensor around(const Tensor& x, const std::string& norm_name, uint32_t site_number, const Side& side,
                Sublayer sublayer) const {
    const bool pre = config_.norm == NormPlace::kPre;
    const Tensor y = x + dropped(sublayer(pre ? norm(norm_name, x) : x), config_.dropout, site_number, side);
    return pre ? y : norm(norm_name, y);
  }

  Tensor self_attention(const Tensor& x, const std::string& layer, const Side& side, bool causal,
                        uint32_t site_number) const {
    const std::vector<Tensor> qkv = linear(layer + "self.qkv", x).chunk(3, 1);
    return attention(layer + "self.out", qkv[0], qkv[1], qkv[2], side, side, causal, site_number);
  }

  Tensor activated(const Tensor& x) const {
    switch (config_.activation) {
      case Activation::kRelu:
        return torch::relu(x);
      case Activation::kSwish:
        return torch::silu(x);
      case Activation::kGelu:
        return torch::gelu(x);
    }
    fail("there is no such activation");
  }

  Tensor feed_forward(const Tensor& x, const std::string& layer, const Side& side, uint32_t site_number) const {
    const Tensor hidden = activated(linear(layer + "ff.in", x));
    return linear(layer + "ff.out", dropped(hidden, config_.relu_dropout, site_number, side));
  }

  Tensor encode(const Side& source) const {
    Tensor x = embed(get("source.embedding"), source, site::kSourceEmbedding);
    for (int64_t i = 0; i < config_.encoder_layers; ++i) {
      const std::string layer = fmt::format("encoder.{}.", i);
      x = around(x, layer + "self.norm", site::encoder(i, site::kSelfOut), source, [&](const Tensor& y) {
        return self_attention(y, layer, source, false, site::encoder(i, site::kSelfWeights));
      });
      x = around(x, layer + "ff.norm", site::encoder(i, site::kFeedForwardOut), source,
                 [&](const Tensor& y) { return feed_forward(y, layer, source, site::encoder(i, site::kRelu)); });
    }
    return config_.norm == NormPlace::kPre ? norm("encoder.norm", x) : x;
  }

  Tensor decode(const Side& source, const Side& target, const Tensor& encoded) const {
    const std::vector<Tensor> keys = linear("decoder.cross.kv", encoded).chunk(2 * config_.decoder_layers, 1);
    Tensor x = embed(target_embedding(), target, site::kTargetEmbedding);
    for (int64_t i = 0; i < config_.decoder_layers; ++i) {
      const std::string layer = fmt::format("decoder.{}.", i);
      const auto own = static_cast<size_t>(2 * i);
      x = around(x, layer + "self.norm", site::decoder(i, site::kSelfOut), target, [&](const Tensor& y) {
        return self_attention(y, layer, target, true, site::decoder(i, site::kSelfWeights));
      });
      x = around(x, layer + "cross.norm", site::decoder(i, site::kCrossOut), target, [&](const Tensor& y) {
        return attention(layer + "cross.out", linear(layer + "cross.q", y), keys[own], keys[own + 1], target, source,
                         false, site::decoder(i, site::kCrossWeights));
      });
      x = around(x, layer + "ff.norm", site::decoder(i, site::kFeedForwardOut), target,
                 [&](const Tensor& y) { return feed_forward(y, layer, target, site::decoder(i, site::kRelu)); });
    }
    return config_.norm == NormPlace::kPre ? norm("decoder.norm", x) : x;
  }

  const ModelConfig& config_;
  const ParameterTable& table_;
  const std::vector<Tensor>& parameters_;
  Pass pass_;
  torch::TensorOptions options_;
};

struct Losses {
  Tensor smoothed, cross_entropy;  // sums
  Tensor best;                     // [T]
};

Losses losses(const Tensor& logits, const Batch& batch, double smoothing) {
  const Tensor targets =
      torch::tensor(std::vector<int64_t>(batch.target_output.begin(), batch.target_output.end()), torch::kLong);
  const Tensor log_probabilities = torch::log_softmax(logits, 1);
  const Tensor right = log_probabilities.gather(1, targets.view({-1, 1})).view({-1});
  const double confidence = 1 - smoothing, others = smoothing / static_cast<double>(logits.size(1) - 1);
  const double entropy = smoothing > 0 ? -(confidence * std::log(confidence) + smoothing * std::log(others)) : 0;
  const Tensor smoothed = -((confidence - others) * right + others * log_probabilities.sum(1)) - entropy;
  return {smoothed.sum(), -right.sum(), logits.argmax(1)};
}

Loss to_loss(const Losses& tensors, const Batch& batch) {
  Loss loss;
  loss.smoothed = tensors.smoothed.item<double>();
  loss.cross_entropy = tensors.cross_entropy.item<double>();
  loss.tokens = static_cast<int64_t>(batch.target_tokens());
  for (int64_t i = 0; i < loss.tokens; ++i) {
    loss.correct += tensors.best[i].item<int64_t>() == batch.target_output[static_cast<size_t>(i)] ? 1 : 0;
  }
  return loss;
}

// A view of each parameter in a flat buffer, with its gradient a view of another: autograd adds in place.
std::vector<Tensor> views(const ParameterTable& table, void* values, void* gradients, torch::ScalarType type) {
  std::vector<Tensor> parameters;
  const int64_t width = type == torch::kDouble ? 8 : 4;
  for (const Parameter& p : table.all()) {
    Tensor tensor = torch::from_blob(static_cast<char*>(values) + p.offset * width, p.shape, type);
    if (gradients != nullptr) {
      tensor.set_requires_grad(true);
      tensor.mutable_grad() = torch::from_blob(static_cast<char*>(gradients) + p.offset * width, p.shape, type);
    }
    parameters.push_back(tensor);
  }
  return parameters;
}

class ReferenceTransformer final : public TranslationModel {
 public:
  ReferenceTransformer(const ModelConfig& config, VocabularySizes vocabularies)
      : config_(config),
        table_(config, vocabularies),
        weights_(device_, static_cast<size_t>(table_.buffer_size())),
        gradients_(device_, static_cast<size_t>(table_.buffer_size()), "gradients"),
        parameters_(views(table_, weights_.write().data(), gradients_.data(), torch::kFloat)) {}

  Loss evaluate(const Batch& batch) override {
    if (batch.sentences() == 0) return {};
    const torch::NoGradGuard no_gradient;
    return to_loss(compute(batch, Pass{0, 0, false}), batch);
  }

  using TranslationModel::accumulate;
  Loss accumulate(const Batch& batch, const Pass& pass, const GradientReady& ready) override {
    if (ready.rows) fail("the reference model does not report lookup rows separately");
    if (batch.sentences() == 0) return {};
    const Losses result = compute(batch, pass);
    (result.smoothed * pass.loss_scale).backward();
    ready.mark_ready({0, gradients_.size()});
    return to_loss(result, batch);
  }

  std::vector<TokenId> predict(const Batch& batch) override {
    if (batch.sentences() == 0) return {};
    const torch::NoGradGuard no_gradient;
    const Tensor best = compute(batch, Pass{0, 0, false}).best.to(torch::kInt).contiguous();
    return {best.data_ptr<int32_t>(), best.data_ptr<int32_t>() + best.numel()};
  }

  Weights& weights() override { return weights_; }
  Buffer& gradients() override { return gradients_; }
  const ParameterTable& table() const override { return table_; }

 private:
  Losses compute(const Batch& batch, const Pass& pass) {
    return losses(ReferenceComputation(config_, table_, parameters_, pass).logits(batch), batch,
                  config_.label_smoothing);
  }

  ModelConfig config_;
  ParameterTable table_;
  CpuDevice device_;
  Weights weights_;
  Buffer gradients_;
  std::vector<Tensor> parameters_;
};

}  // namespace

std::unique_ptr<TranslationModel> make_reference_transformer(const ModelConfig& config, VocabularySizes vocabularies) {
  return std::make_unique<ReferenceTransformer>(config, vocabularies);
}

Loss reference_loss_in_double(const ModelConfig& config, const ParameterTable& table, std::span<double> values,
                              std::span<double> gradients, const Batch& batch, const Pass& pass) {
  const std::vector<Tensor> parameters =
      views(table, values.data(), gradients.empty() ? nullptr : gradients.data(), torch::kDouble);
  const Losses result =
      losses(ReferenceComputation(config, table, parameters, pass).logits(batch), batch, config.label_smoothing);
  if (!gradients.empty()) (result.smoothed * pass.loss_scale).backward();
  return to_loss(result, batch);
}

std::vector<double> reference_next_log_probabilities(const ModelConfig& config, const ParameterTable& table,
                                                     std::span<double> values, const Sentence& source,
                                                     const Sentence& prefix) {
  const torch::NoGradGuard no_gradient;
  Batch batch;
  append(batch, source, prefix, 0);
  const std::vector<Tensor> parameters = views(table, values.data(), nullptr, torch::kDouble);
  const Tensor logits = ReferenceComputation(config, table, parameters, Pass{0, 0, false}).logits(batch);
  const Tensor last = torch::log_softmax(logits[-1], 0).contiguous();
  return {last.data_ptr<double>(), last.data_ptr<double>() + last.numel()};
}

}  // namespace verbund
