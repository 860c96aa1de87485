// SPDX-License-Identifier: Apache-2.0
// FusedTransformer is the Transformer made of a device's fused operations.
#pragma once

#include <vector>

#include "model/device_batch.h"
#include "model/gradient_order.h"
#include "model/position_codes.h"
#include "model/stepwise_decoder.h"
#include "model/sublayers.h"
#include "model/transformer.h"

namespace verbund {

struct EncoderLayer {
  SelfAttention attention;
  ResidualNorm after_attention;
  FeedForward feed_forward;
  ResidualNorm after_feed_forward;
};

struct DecoderLayer {
  SelfAttention attention;
  ResidualNorm after_attention;
  CrossAttention cross;
  ResidualNorm after_cross;
  FeedForward feed_forward;
  ResidualNorm after_feed_forward;
};

class FusedTransformer final : public DecodableModel {
 public:
  FusedTransformer(Device& device, const ModelConfig& config, VocabularySizes vocabularies);

  Loss evaluate(const Batch& batch) override { return evaluate(batch, {}); }
  Loss evaluate(const Batch& batch, std::span<double> cross_entropies) override;
  using DecodableModel::accumulate;
  Loss accumulate(const Batch& batch, const Pass& pass, const GradientReady& ready) override;
  std::vector<TokenId> predict(const Batch& batch) override;
  void start_decoding(const std::vector<Sentence>& sources) override;
  void join_decoding(const std::vector<Sentence>& sources) override;
  const float* step(std::span<const NextRow> rows, int32_t* aligned) override { return stepwise_.step(rows, aligned); }
  std::vector<double> token_log_probabilities(const Batch& batch) override;
  Weights& weights() override { return weights_; }
  Buffer& gradients() override { return gradients_; }
  const ParameterTable& table() const override { return table_; }

 private:
  void begin(const Batch& batch, const Pass& pass);
  ConstTypedFloats encode();
  void project_keys(ConstTypedFloats encoded, TypedFloats keys);
  int64_t keys_size() const { return source_.count * config_.decoder_layers * 2 * config_.d_model; }
  ConstTypedFloats decode(ConstTypedFloats encoded);
  void project(ConstTypedFloats decoded, float* decoded_gradient);
  Loss loss() const;
  void backward(ConstTypedFloats encoded, float* decoded_gradient, const GradientReady& ready);
  size_t offset_of(const std::string& name) const { return static_cast<size_t>(table_.find(name).offset); }

  ConstTypedFloats embed(const Rows& rows, const Tensor& embedding, ResidualNorm& residual_norm, uint32_t site_number);
  const float* embedded_gradient(const Rows& rows, const ResidualNorm& residual_norm);
  void embed_backward(const Rows& rows, const Tensor& embedding, const float* gradient, uint32_t site_number,
                      size_t lookup, const GradientReady& ready);
  void report_lookup_rows(const Rows& rows, const float* gradient, const DropoutKey& key, size_t lookup,
                          const GradientReady& ready);
  // Backward through a ResidualNorm and the sublayer before it; see fused_backward.cpp.
  template <typename Sublayer>
  void back(const Rows& rows, const ResidualNorm& residual_norm, const Tensor& out_bias, Sublayer sublayer_backward);

  Device& device_;
  ModelConfig config_;
  ParameterTable table_;
  const GradientOrder order_;  // if lookup rows are reported separately
  Weights weights_;
  Buffer gradients_, partial_sums_;
  PackedWeights packed_;
  Workspace workspace_;
  Context context_;

  Tensor source_embedding_, target_embedding_, output_, output_bias_;
  int64_t target_size_;
  ResidualNorm source_norm_, target_norm_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  Linear cross_;
  StepwiseDecoder stepwise_;
  Batch sources_;  // of the sentences that joined last
  BufferPool source_caches_;

  PositionCodes positions_;
  DeviceBatch batch_;
  Rows source_, target_;
  TypedFloats keys_;  // [S, layers, {key, value}, d]
  // Losses of each target token, [T], and their sums.
  double *smoothed_ = nullptr, *cross_entropies_ = nullptr;
  TokenId* best_ = nullptr;
  LossSums* sums_ = nullptr;
  // Gradients on their way down: of what a sublayer reads, and of the residual beside it.
  float *input_gradient_ = nullptr, *residual_gradient_ = nullptr;
};

}  // namespace verbund
