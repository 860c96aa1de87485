// SPDX-License-Identifier: Apache-2.0
// The backward pass of the FusedTransformer.
#include <utility>

#include "core/error.h"
#include "model/fused_transformer.h"

namespace verbund {

// One step down: through the ResidualNorm into the sublayer's output and the residual, then through the sublayer into
// its input. With post-norm, input and residual are the same activation, so the sublayer adds its part to the
// residual's gradient.
template <typename Sublayer>
void FusedTransformer::back(const Rows& rows, const ResidualNorm& residual_norm, const Tensor& out_bias,
                            Sublayer sublayer_backward) {
  const int64_t d = config_.d_model;
  const TypedFloats output_gradient = context_.typed_output();
  if (config_.norm == NormPlace::kPre) {
    residual_norm.backward(context_, rows, input_gradient_, residual_gradient_, residual_gradient_, output_gradient,
                           out_bias.gradient);
    sublayer_backward(output_gradient, MatrixRows{input_gradient_, d}, Into::kReplace);
  } else {
    residual_norm.backward(context_, rows, input_gradient_, nullptr, residual_gradient_, output_gradient,
                           out_bias.gradient);
    sublayer_backward(output_gradient, MatrixRows{residual_gradient_, d}, Into::kAdd);
    std::swap(input_gradient_, residual_gradient_);
  }
}

// Parameters lie in the order in which forward uses them, so backward finishes them from the last to the first: what
// stands after a sublayer's first weight is final when the sublayer is done. (Before it is its norm, which with
// pre-norm belongs to the previous sublayer.)
void FusedTransformer::backward(ConstTypedFloats encoded, float* decoded_gradient, const GradientReady& ready) {
  const int64_t d = config_.d_model, stride = config_.decoder_layers * 2 * d;
  const bool pre = config_.norm == NormPlace::kPre;
  size_t end = gradients_.size();
  const auto mark_ready_from = [&](size_t begin) { ready.mark_ready({begin, std::exchange(end, begin)}); };
  if (ready.backward_begins) ready.backward_begins();
  // The output GEMM has computed all of these but the rows of looked-up tokens.
  if (ready.rows) ready.mark_ready(order_.dense_table);
  if (config_.share_embeddings == Sharing::kNone) mark_ready_from(offset_of("output.weight"));

  const TypedFloats keys_gradient = workspace_.take_operand(source_.count * stride);
  const auto start = [&](const Rows& rows, float* gradient) {
    input_gradient_ = gradient;
    residual_gradient_ = workspace_.take(rows.count * d);
    if (pre) device_.zero(residual_gradient_, static_cast<size_t>(rows.count * d) * sizeof(float));
  };

  start(target_, decoded_gradient);
  for (size_t i = decoder_.size(); i-- > 0;) {
    DecoderLayer& layer = decoder_[i];
    back(target_, layer.after_feed_forward, layer.feed_forward.out_bias(),
         [&](ConstTypedFloats g, MatrixRows dx, Into into) {
           layer.feed_forward.backward(context_, target_, g, dx, into);
         });
    mark_ready_from(offset_of(fmt::format("decoder.{}.ff.in.weight", i)));
    back(target_, layer.after_cross, layer.cross.out_bias(), [&](ConstTypedFloats g, MatrixRows dx, Into into) {
      layer.cross.backward(context_, target_, source_, g, dx, into, keys_gradient + static_cast<int64_t>(i) * 2 * d);
    });
    back(target_, layer.after_attention, layer.attention.out_bias(), [&](ConstTypedFloats g, MatrixRows dx, Into into) {
      layer.attention.backward(context_, target_, g, dx, into);
    });
    mark_ready_from(offset_of(fmt::format("decoder.{}.self.qkv.weight", i)));
  }
  embed_backward(target_, target_embedding_, embedded_gradient(target_, target_norm_), site::kTargetEmbedding,
                 kTargetLookup, ready);

  float* encoded_gradient = workspace_.take(source_.count * d);
  cross_.backward(context_, source_.count, {encoded, d}, {keys_gradient, stride}, {encoded_gradient, d},
                  Into::kReplace);
  mark_ready_from(offset_of("decoder.cross.kv.weight"));
  start(source_, encoded_gradient);
  for (size_t i = encoder_.size(); i-- > 0;) {
    EncoderLayer& layer = encoder_[i];
    back(source_, layer.after_feed_forward, layer.feed_forward.out_bias(),
         [&](ConstTypedFloats g, MatrixRows dx, Into into) {
           layer.feed_forward.backward(context_, source_, g, dx, into);
         });
    mark_ready_from(offset_of(fmt::format("encoder.{}.ff.in.weight", i)));
    back(source_, layer.after_attention, layer.attention.out_bias(), [&](ConstTypedFloats g, MatrixRows dx, Into into) {
      layer.attention.backward(context_, source_, g, dx, into);
    });
    mark_ready_from(offset_of(fmt::format("encoder.{}.self.qkv.weight", i)));
  }
  const float* gradient = embedded_gradient(source_, source_norm_);
  if (ready.rows) mark_ready_from(order_.tables_end);
  embed_backward(source_, source_embedding_, gradient, site::kSourceEmbedding, kSourceLookup, ready);
  if (!ready.rows) mark_ready_from(0);
}

// The gradient of one side's embedded tokens.
const float* FusedTransformer::embedded_gradient(const Rows& rows, const ResidualNorm& residual_norm) {
  if (config_.norm == NormPlace::kPost) return input_gradient_;  // nothing stands between
  residual_norm.backward(context_, rows, input_gradient_, residual_gradient_, residual_gradient_, {}, nullptr);
  return residual_gradient_;
}

void FusedTransformer::embed_backward(const Rows& rows, const Tensor& embedding, const float* gradient,
                                      uint32_t site_number, size_t lookup, const GradientReady& ready) {
  const int64_t d = config_.d_model;
  const DropoutKey key = context_.dropout(config_.dropout, site_number);
  if (ready.rows) return report_lookup_rows(rows, gradient, key, lookup, ready);
  device_.embed_backward({rows.count, d, rows.ids, rows.order, gradient, embedding_factor(config_), embedding.gradient,
                          key, rows.token_positions});
}

// Computes the gradient as if the table had the looked-up rows only.
void FusedTransformer::report_lookup_rows(const Rows& rows, const float* gradient, const DropoutKey& key, size_t lookup,
                                          const GradientReady& ready) {
  if (!device_.is_host()) fail("rows of looked-up embeddings are reported separately on a CPU only");
  const int64_t d = config_.d_model;
  const Workspace::Temporary temporary(workspace_);
  CompactIds ids({rows.ids, static_cast<size_t>(rows.count)});
  const size_t size = ids.distinct.size() * static_cast<size_t>(d);
  float* values = workspace_.take(static_cast<int64_t>(size));
  device_.zero(values, size * sizeof(float));
  device_.embed_backward(
      {rows.count, d, ids.rows.data(), {}, gradient, embedding_factor(config_), values, key, rows.token_positions});
  ready.rows({lookup, std::move(ids.distinct), {values, size}});
}

}  // namespace verbund
