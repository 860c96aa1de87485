#include "model/stepwise_decoder.h"

#include <fmt/format.h>

#include <cmath>

#include "model/transformer.h"

namespace verbund {
namespace {

constexpr int64_t kPositions = 64;  // are computed at a time

}  // namespace

StepwiseDecoder::StepwiseDecoder(const ModelConfig& config, const ParameterTable& table, const float* values,
                                 int64_t vocabulary)
    : config_(config),
      context_{config_, table, values, nullptr, &workspace_, nullptr, nullptr, Pass{0, 0, false}},
      embedding_(context_.tensor(config.share_embeddings == Sharing::kAll ? "source.embedding" : "target.embedding")),
      output_(config.share_embeddings == Sharing::kNone ? context_.tensor("output.weight") : embedding_),
      vocabulary_(vocabulary),
      embedded_(context_, norm_behind(config, "", "decoder.0.self.norm"), site::kTargetEmbedding) {
  const int64_t d = config.d_model;
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string layer = fmt::format("decoder.{}.", i);
    const std::string next =
        i + 1 < config.decoder_layers ? fmt::format("decoder.{}.self.norm", i + 1) : "decoder.norm";
    layers_.push_back({{context_, layer + "self.qkv", 3 * d, d},
                       {context_, layer + "self.out", d, d},
                       {context_, norm_behind(config, layer + "self.norm", layer + "cross.norm"), 0},
                       {context_, layer + "cross.q", d, d},
                       {context_, layer + "cross.out", d, d},
                       {context_, norm_behind(config, layer + "cross.norm", layer + "ff.norm"), 0},
                       {context_, layer, 0},
                       {context_, norm_behind(config, layer + "ff.norm", next), 0}});
  }
}

void StepwiseDecoder::start(const float* keys, const std::vector<int32_t>& source_offsets) {
  const int64_t stride = config_.decoder_layers * 2 * config_.d_model;
  sources_.assign(source_offsets.size() - 1, {});
  for (size_t s = 0; s < sources_.size(); ++s) {
    for (int32_t token = source_offsets[s]; token < source_offsets[s + 1]; ++token) {
      sources_[s].push_back(keys + token * stride);
    }
  }
  position_ = 0;
  rows_.clear();
  for (size_t s = 0; s < sources_.size(); ++s) rows_.push_back({static_cast<int32_t>(s), {}});
}

// Each row takes over its parent's keys and gets a place for its own.
void StepwiseDecoder::continue_rows(std::span<const NextRow> rows) {
  const int64_t row_size = config_.decoder_layers * 3 * config_.d_model;
  const auto count = static_cast<int64_t>(rows.size());
  const auto position = static_cast<size_t>(position_);
  if (cache_.size() <= position) {
    cache_.emplace_back();
    cache_sizes_.push_back(0);
  }
  if (cache_sizes_[position] < count * row_size) {
    cache_[position] = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(count * row_size));
    cache_sizes_[position] = count * row_size;
  }
  std::vector<Row> continued;
  continued.reserve(rows.size());
  own_lists_.clear(), own_counts_.clear(), source_lists_.clear(), source_counts_.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    Row row = rows_[static_cast<size_t>(rows[i].parent)];
    row.own.push_back(cache_[position].get() + static_cast<int64_t>(i) * row_size);
    continued.push_back(std::move(row));
  }
  rows_ = std::move(continued);
  for (const Row& row : rows_) {
    const KeyList& source = sources_[static_cast<size_t>(row.sentence)];
    own_lists_.push_back(row.own.data());
    own_counts_.push_back(static_cast<int32_t>(row.own.size()));
    source_lists_.push_back(source.data());
    source_counts_.push_back(static_cast<int32_t>(source.size()));
  }
}

const float* StepwiseDecoder::embed(const Rows& rows, std::span<const NextRow> next) {
  const int64_t d = config_.d_model;
  if (static_cast<int64_t>(positions_.size()) <= position_ * d) {
    positions_ = position_codes((position_ / kPositions + 1) * kPositions, d);
  }
  ids_.clear();
  for (const NextRow& row : next) ids_.push_back(row.token);
  std::vector<RowName> names(next.size(), {0, 0});  // all at the same position, whose code is handed over
  kernels().embed_forward(rows.count, d, ids_.data(), embedding_.value, std::sqrt(static_cast<float>(d)),
                          positions_.data() + position_ * d, context_.output, DropoutKey(), names.data());
  embedded_.forward(context_, rows, nullptr, context_.output, nullptr);
  return embedded_.output();
}

void StepwiseDecoder::attend_to_self(size_t layer, const float* input) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 3 * d,
                count = static_cast<int64_t>(rows_.size());
  const int64_t offset = static_cast<int64_t>(layer) * 3 * d;
  float* projected = cache_[static_cast<size_t>(position_)].get() + offset;
  float* mixed = workspace_.take(count * d);
  layers_[layer].qkv.forward(count, {input, d}, {projected, stride});
  kernels().step_attention({count, config_.heads, d / config_.heads, projected, stride, own_lists_.data(),
                            own_counts_.data(), offset + d, offset + 2 * d, mixed, nullptr});
  layers_[layer].self_out.forward_without_bias(count, {mixed, d}, {context_.output, d});
}

void StepwiseDecoder::attend_to_source(size_t layer, const float* input, int32_t* aligned) {
  const int64_t d = config_.d_model, count = static_cast<int64_t>(rows_.size());
  const int64_t offset = static_cast<int64_t>(layer) * 2 * d;
  float* query = workspace_.take(count * d);
  float* mixed = workspace_.take(count * d);
  layers_[layer].query.forward(count, {input, d}, {query, d});
  kernels().step_attention({count, config_.heads, d / config_.heads, query, d, source_lists_.data(),
                            source_counts_.data(), offset, offset + d, mixed, aligned});
  layers_[layer].cross_out.forward_without_bias(count, {mixed, d}, {context_.output, d});
}

const float* StepwiseDecoder::step(std::span<const NextRow> next, int32_t* aligned) {
  const int64_t d = config_.d_model;
  workspace_.reset();
  continue_rows(next);
  Rows rows;
  rows.count = static_cast<int64_t>(next.size());
  context_.output = workspace_.take(rows.count * d);

  const float* input = embed(rows, next);
  const float* residual = embedded_.residual();
  const auto join = [&](Join& after, const Tensor& bias) {
    after.forward(context_, rows, residual, context_.output, bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    attend_to_self(i, input);
    join(layer.after_self, layer.self_out.bias());
    attend_to_source(i, input, i + 1 == layers_.size() ? aligned : nullptr);
    join(layer.after_cross, layer.cross_out.bias());
    layer.feed_forward.forward(context_, rows, input);
    join(layer.after_feed_forward, layer.feed_forward.out_bias());
  }
  ++position_;
  float* logits = workspace_.take(rows.count * vocabulary_);
  multiply_transposed(rows.count, vocabulary_, d, {input, d}, output_.value, {logits, vocabulary_}, Into::kReplace);
  return logits;
}

}  // namespace verbund
