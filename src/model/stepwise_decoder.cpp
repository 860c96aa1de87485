// SPDX-License-Identifier: Apache-2.0
#include "model/stepwise_decoder.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbund {

StepwiseDecoder::StepwiseDecoder(Device& device, const ModelConfig& config, const ParameterTable& table,
                                 Weights& weights, PackedWeights& packed, int64_t vocabulary)
    : device_(device),
      config_(config),
      workspace_(device),
      context_{device,  workspace_, config_,           table,  weights.data(), weights.operands(), nullptr,
               nullptr, nullptr,    Pass{0, 0, false}, &packed},
      embedding_(context_.tensor(config.share_embeddings == Sharing::kAll ? "source.embedding" : "target.embedding")),
      output_(config.share_embeddings == Sharing::kNone ? context_.tensor("output.weight") : embedding_),
      output_bias_(context_.optional("output.bias")),
      vocabulary_(vocabulary),
      embedded_(context_, norm_after(config, "", "decoder.0.self.norm"), site::kTargetEmbedding),
      kv_buffers_(device, "the kv cache"),
      positions_(device, config) {
  const int64_t d = config.d_model;
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string layer = fmt::format("decoder.{}.", i);
    const std::string next =
        i + 1 < config.decoder_layers ? fmt::format("decoder.{}.self.norm", i + 1) : "decoder.norm";
    layers_.push_back({{context_, layer + "self.qkv", 3 * d, d},
                       {context_, layer + "self.out", d, d},
                       {context_, norm_after(config, layer + "self.norm", layer + "cross.norm"), 0},
                       {context_, layer + "cross.q", d, d},
                       {context_, layer + "cross.out", d, d},
                       {context_, norm_after(config, layer + "cross.norm", layer + "ff.norm"), 0},
                       {context_, layer, 0},
                       {context_, norm_after(config, layer + "ff.norm", next), 0}});
  }
}

void StepwiseDecoder::start() {
  rows_.clear();
  kv_cache_.clear();
}

void StepwiseDecoder::join(const std::shared_ptr<const Buffer>& source_cache,
                           const std::vector<int32_t>& source_offsets) {
  const int64_t stride = config_.decoder_layers * 2 * config_.d_model;
  const ConstTypedFloats entries = {source_cache->data(), device_.compute_dtype()};
  for (size_t s = 0; s + 1 < source_offsets.size(); ++s) {
    const auto source = std::make_shared<Source>();
    source->cache = source_cache;
    for (int32_t token = source_offsets[s]; token < source_offsets[s + 1]; ++token) {
      source->entries.push_back((entries + token * stride).data);
    }
    rows_.push_back({source, {}});
  }
}

// Each row inherits the kv cache entries of its parent and gets a new one for its token.
void StepwiseDecoder::continue_rows(std::span<const NextRow> rows) {
  std::vector<Row> continued;
  continued.reserve(rows.size());
  size_t longest = 0;
  for (const NextRow& next : rows) {
    continued.push_back(rows_[static_cast<size_t>(next.parent)]);
    longest = std::max(longest, continued.back().entries.size());
  }
  rows_ = std::move(continued);
  while (kv_cache_.size() > longest) kv_cache_.pop_front();  // of sentences that are done

  const int64_t row_size = config_.decoder_layers * 3 * config_.d_model;
  const int64_t size = static_cast<int64_t>(rows.size()) * row_size;
  kv_cache_.push_back(kv_buffers_.take_bytes(static_cast<size_t>(size * size_of(device_.compute_dtype()))));
  for (size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].entries.push_back((new_entries() + static_cast<int64_t>(i) * row_size).data);
  }
}

// Uploads the rows of the step: tokens, and the addresses of their kv cache entries.
void StepwiseDecoder::send(std::span<const NextRow> next) {
  std::vector<int32_t> ids, own_counts, source_counts;
  std::vector<int64_t> own_first, source_first;
  std::vector<const void*> own_entries, source_entries;
  std::vector<TokenPosition> positions;
  for (const NextRow& row : next) ids.push_back(row.token);
  const Source* source = nullptr;  // of the row before: rows of a sentence stand together and share it
  for (const Row& row : rows_) {
    positions.push_back({0, static_cast<uint32_t>(row.entries.size() - 1)});
    own_first.push_back(static_cast<int64_t>(own_entries.size()));
    own_counts.push_back(static_cast<int32_t>(row.entries.size()));
    own_entries.insert(own_entries.end(), row.entries.begin(), row.entries.end());
    const std::vector<const void*>& attended = row.source->entries;
    if (row.source.get() != source) source_entries.insert(source_entries.end(), attended.begin(), attended.end());
    source = row.source.get();
    source_first.push_back(static_cast<int64_t>(source_entries.size() - attended.size()));
    source_counts.push_back(static_cast<int32_t>(attended.size()));
  }
  upload_.clear();
  const size_t at_ids = upload_.add(ids);
  const size_t at_positions = upload_.add(positions);
  const size_t at_own[] = {upload_.add(own_entries), upload_.add(own_first), upload_.add(own_counts)};
  const size_t at_source[] = {upload_.add(source_entries), upload_.add(source_first), upload_.add(source_counts)};
  upload_.send(device_, workspace_);
  ids_ = upload_.at<int32_t>(at_ids);
  token_positions_ = upload_.at<TokenPosition>(at_positions);
  const auto lists = [&](const size_t(&at)[3]) -> EntryLists {
    return {upload_.at<const void*>(at[0]), upload_.at<int64_t>(at[1]), upload_.at<int32_t>(at[2])};
  };
  own_ = lists(at_own);
  source_ = lists(at_source);
}

ConstTypedFloats StepwiseDecoder::embed(const Rows& rows) {
  const int64_t d = config_.d_model;
  positions_.reach(static_cast<int64_t>(kv_cache_.size()));  // the length of the longest row
  device_.embed_forward({
      .rows = rows.count,
      .width = d,
      .ids = ids_,
      .table = embedding_.value,
      .factor = embedding_factor(config_),
      .position_codes = positions_.at(0),
      .out = context_.output,
      .dropout = {},
      .token_positions = token_positions_,
  });
  embedded_.forward(context_, rows, nullptr, context_.output, nullptr);
  return embedded_.output();
}

void StepwiseDecoder::attend_to_self(size_t layer, ConstTypedFloats input) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 3 * d,
                count = static_cast<int64_t>(rows_.size());
  const int64_t offset = static_cast<int64_t>(layer) * 3 * d;
  const TypedFloats projected = new_entries() + offset;
  const TypedFloats mixed = workspace_.take_operand(count * d);
  layers_[layer].qkv.forward(context_, count, {input, d}, {projected, stride});
  device_.step_attention({count, config_.heads, d / config_.heads, projected, stride, own_.entries, own_.first,
                          own_.counts, offset + d, offset + 2 * d, mixed, nullptr});
  layers_[layer].self_out.forward_without_bias(context_, count, {mixed, d}, {context_.typed_output(), d});
}

void StepwiseDecoder::attend_to_source(size_t layer, ConstTypedFloats input, int32_t* aligned) {
  const int64_t d = config_.d_model, count = static_cast<int64_t>(rows_.size());
  const int64_t offset = static_cast<int64_t>(layer) * 2 * d;
  const TypedFloats query = workspace_.take_operand(count * d);
  const TypedFloats mixed = workspace_.take_operand(count * d);
  layers_[layer].query.forward(context_, count, {input, d}, {query, d});
  device_.step_attention({count, config_.heads, d / config_.heads, query, d, source_.entries, source_.first,
                          source_.counts, offset, offset + d, mixed, aligned});
  layers_[layer].cross_out.forward_without_bias(context_, count, {mixed, d}, {context_.typed_output(), d});
}

const float* StepwiseDecoder::step(std::span<const NextRow> next, int32_t* aligned) {
  const int64_t d = config_.d_model;
  workspace_.reset();
  continue_rows(next);
  send(next);
  Rows rows;
  rows.count = static_cast<int64_t>(next.size());
  context_.output = workspace_.take(rows.count * d);
  auto* attended = aligned != nullptr ? workspace_.take<int32_t>(rows.count) : nullptr;

  ConstTypedFloats input = embed(rows);
  const float* residual = embedded_.residual();
  const auto add_and_norm = [&](ResidualNorm& after, const Tensor& bias) {
    after.forward(context_, rows, residual, context_.typed_output(), bias.value);
    residual = after.residual();
    input = after.output();
  };
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    attend_to_self(i, input);
    add_and_norm(layer.after_self, layer.self_out.bias());
    attend_to_source(i, input, i + 1 == layers_.size() ? attended : nullptr);
    add_and_norm(layer.after_cross, layer.cross_out.bias());
    layer.feed_forward.forward(context_, rows, input);
    add_and_norm(layer.after_feed_forward, layer.feed_forward.out_bias());
  }
  float* logits = workspace_.take(rows.count * vocabulary_);
  multiply_nt(device_, rows.count, vocabulary_, d, {input, d}, output_.operand, {logits, vocabulary_}, Into::kReplace,
              context_.packed->of(output_.operand, vocabulary_, d));
  if (output_bias_.value != nullptr) {
    device_.add_bias({rows.count, vocabulary_, logits, vocabulary_, output_bias_.value});
  }
  if (aligned != nullptr) device_.download(aligned, attended, next.size() * sizeof(int32_t));
  return logits;
}

}  // namespace verbund
