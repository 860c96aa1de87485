// SPDX-License-Identifier: Apache-2.0
#include "model/sublayers.h"

namespace verbund {
namespace {

SmoothActivation smooth_activation(const ModelConfig& config) {
  return config.activation == Activation::kSwish ? SmoothActivation::kSwish : SmoothActivation::kGelu;
}

}  // namespace

Tensor Context::tensor(const std::string& name) const {
  const Parameter& parameter = table.find(name);
  return {values + parameter.offset, operands + parameter.offset,
          gradients == nullptr ? nullptr : gradients + parameter.offset};
}

Tensor Context::optional(const std::string& name) const { return table.has(name) ? tensor(name) : Tensor{}; }

DropoutKey Context::dropout(double rate, uint32_t site_number) const {
  return dropout_key(pass.training ? rate : 0, pass.seed, pass.step, site_number);
}

// Linear

Linear::Linear(const Context& context, const std::string& name, int64_t out, int64_t in)
    : out_(out), in_(in), weight_(context.tensor(name + ".weight")), bias_(context.optional(name + ".bias")) {}

void Linear::forward_without_bias(const Context& context, int64_t n, ConstMatrixRows x, MatrixRows y) const {
  const float* packed = context.packed == nullptr ? nullptr : context.packed->of(weight_.operand, out_, in_);
  multiply_nt(context.device, n, out_, in_, x, weight_.operand, y, Into::kReplace, packed);
}

void Linear::forward(const Context& context, int64_t n, ConstMatrixRows x, MatrixRows y) const {
  forward_without_bias(context, n, x, y);
  if (bias_.value != nullptr) context.device.add_bias({n, out_, y.data, y.stride, bias_.value});
}

void Linear::backward_without_bias(const Context& context, int64_t n, ConstMatrixRows x, ConstMatrixRows dy,
                                   MatrixRows dx, Into into) const {
  add_outer_product(context.device, n, out_, in_, dy, x, weight_.gradient);
  multiply_nn(context.device, n, in_, out_, dy, weight_.operand, dx, into);
}

void Linear::backward(const Context& context, int64_t n, ConstMatrixRows x, ConstMatrixRows dy, MatrixRows dx,
                      Into into) const {
  backward_without_bias(context, n, x, dy, dx, into);
  if (bias_.value == nullptr) return;
  context.device.column_sums({n, out_, dy.data, bias_.gradient, context.partial_sums});
}

// ResidualNorm

ResidualNorm::ResidualNorm(const Context& context, const std::string& norm, uint32_t site_number)
    : pre_(context.config.norm == NormPlace::kPre),
      scale_(norm.empty() ? Tensor{} : context.tensor(norm + ".scale")),
      bias_(norm.empty() ? Tensor{} : context.tensor(norm + ".bias")),
      site_(site_number) {}

void ResidualNorm::forward(const Context& context, const Rows& rows, const float* residual, ConstTypedFloats input,
                           const float* input_bias) {
  const int64_t n = rows.count, d = context.config.d_model;
  Workspace& workspace = context.workspace;
  // Operands of 16 bits are written beside the floats that later residuals add to.
  const bool is_narrow = context.device.compute_dtype() != FloatType::kFp32;
  key_ = context.dropout(context.config.dropout, site_);
  sum_ = workspace.take(n * d);
  if (scale_.value != nullptr) {
    normed_ = is_narrow && pre_ ? nullptr : workspace.take(n * d);
    mean_ = workspace.take(n);
    inverse_ = workspace.take(n);
  }
  output_ = is_narrow ? workspace.take_operand(n * d) : normed_ != nullptr ? normed_ : sum_;
  context.device.norm_forward({
      .rows = n,
      .width = d,
      .residual = residual,
      .input = input,
      .input_bias = input_bias,
      .scale = scale_.value,
      .bias = bias_.value,
      .epsilon = static_cast<float>(context.config.norm_epsilon),
      .sum = sum_,
      .normed = normed_,
      .mean = mean_,
      .inverse_deviation = inverse_,
      .operand = is_narrow ? output_ : TypedFloats(),
      .dropout = key_,
      .token_positions = rows.token_positions,
  });
}

void ResidualNorm::backward(const Context& context, const Rows& rows, const float* normed_gradient,
                            const float* sum_gradient, float* residual_gradient, TypedFloats input_gradient,
                            float* input_bias_gradient) const {
  context.device.norm_backward({
      .rows = rows.count,
      .width = context.config.d_model,
      .sum = sum_,
      .mean = mean_,
      .inverse_deviation = inverse_,
      .scale = scale_.value,
      .normed_gradient = normed_gradient,
      .sum_gradient = sum_gradient,
      .residual_gradient = residual_gradient,
      .input_gradient = input_gradient,
      .scale_gradient = scale_.gradient,
      .bias_gradient = bias_.gradient,
      .input_bias_gradient = input_bias_gradient,
      .dropout = key_,
      .token_positions = rows.token_positions,
      .partial_sums = context.partial_sums,
  });
}

// Attention

Attention::Attention(const Context& context, const std::string& out, bool causal, uint32_t weights_site)
    : d_(context.config.d_model),
      heads_(context.config.heads),
      causal_(causal),
      out_(context, out, d_, d_),
      site_(weights_site) {}

AttentionShape Attention::shape(const Rows& rows, const Rows& source) const {
  return {static_cast<int32_t>(heads_),
          static_cast<int32_t>(d_ / heads_),
          causal_,
          rows.sentences,
          rows.offsets,
          source.offsets,
          weight_offsets_.offsets,
          rows.sentence_ids};
}

TypedFloats Attention::forward(const Context& context, const Rows& rows, const Rows& source,
                               const WeightOffsets& weight_offsets, const Inputs& inputs) {
  key_ = context.dropout(context.config.attention_dropout, site_);
  inputs_ = inputs;
  weight_offsets_ = weight_offsets;
  weights_ = context.workspace.take(weight_offsets.total);
  mixed_ = context.workspace.take_operand(rows.count * d_);
  context.device.attention_forward({
      .shape = shape(rows, source),
      .query = inputs.query,
      .key = inputs.key,
      .value = inputs.value,
      .query_stride = inputs.query_stride,
      .key_stride = inputs.key_stride,
      .weights = weights_,
      .output = mixed_,
      .dropout = key_,
  });
  out_.forward_without_bias(context, rows.count, {mixed_, d_}, {context.typed_output(), d_});
  return context.typed_output();
}

void Attention::backward(const Context& context, const Rows& rows, const Rows& source, ConstTypedFloats output_gradient,
                         TypedFloats query_gradient, TypedFloats key_gradient, TypedFloats value_gradient) {
  const TypedFloats mixed_gradient = context.workspace.take_operand(rows.count * d_);
  out_.backward_without_bias(context, rows.count, {mixed_, d_}, {output_gradient, d_}, {mixed_gradient, d_},
                             Into::kReplace);
  context.device.attention_backward({
      .shape = shape(rows, source),
      .query = inputs_.query,
      .key = inputs_.key,
      .value = inputs_.value,
      .query_stride = inputs_.query_stride,
      .key_stride = inputs_.key_stride,
      .weights = weights_,
      .output_gradient = mixed_gradient,
      .query_gradient = query_gradient,
      .key_gradient = key_gradient,
      .value_gradient = value_gradient,
      .dropout = key_,
  });
}

// SelfAttention

SelfAttention::SelfAttention(const Context& context, const std::string& layer, bool causal, uint32_t weights_site)
    : d_(context.config.d_model),
      qkv_(context, layer + "self.qkv", 3 * d_, d_),
      attention_(context, layer + "self.out", causal, weights_site) {}

TypedFloats SelfAttention::forward(const Context& context, const Rows& rows, const WeightOffsets& weight_offsets,
                                   ConstTypedFloats input) {
  input_ = input;
  const TypedFloats projected = context.workspace.take_operand(rows.count * 3 * d_);  // [n, {query, key, value}, d]
  qkv_.forward(context, rows.count, {input, d_}, {projected, 3 * d_});
  return attention_.forward(context, rows, rows, weight_offsets,
                            {projected, projected + d_, projected + 2 * d_, 3 * d_, 3 * d_});
}

void SelfAttention::backward(const Context& context, const Rows& rows, ConstTypedFloats output_gradient,
                             MatrixRows input_gradient, Into into) {
  const Workspace::Temporary temporary(context.workspace);
  const TypedFloats gradient = context.workspace.take_operand(rows.count * 3 * d_);
  attention_.backward(context, rows, rows, output_gradient, gradient, gradient + d_, gradient + 2 * d_);
  qkv_.backward(context, rows.count, {input_, d_}, {gradient, 3 * d_}, input_gradient, into);
}

// CrossAttention

CrossAttention::CrossAttention(const Context& context, const std::string& layer, uint32_t weights_site)
    : d_(context.config.d_model),
      query_(context, layer + "cross.q", d_, d_),
      attention_(context, layer + "cross.out", false, weights_site) {}

TypedFloats CrossAttention::forward(const Context& context, const Rows& rows, const Rows& source,
                                    const WeightOffsets& weight_offsets, ConstTypedFloats input, ConstTypedFloats keys,
                                    int64_t stride) {
  input_ = input;
  const TypedFloats query = context.workspace.take_operand(rows.count * d_);
  query_.forward(context, rows.count, {input, d_}, {query, d_});
  return attention_.forward(context, rows, source, weight_offsets, {query, keys, keys + d_, d_, stride});
}

void CrossAttention::backward(const Context& context, const Rows& rows, const Rows& source,
                              ConstTypedFloats output_gradient, MatrixRows input_gradient, Into into,
                              TypedFloats keys_gradient) {
  const Workspace::Temporary temporary(context.workspace);
  const TypedFloats query_gradient = context.workspace.take_operand(rows.count * d_);
  attention_.backward(context, rows, source, output_gradient, query_gradient, keys_gradient, keys_gradient + d_);
  query_.backward(context, rows.count, {input_, d_}, {query_gradient, d_}, input_gradient, into);
}

// FeedForward

FeedForward::FeedForward(const Context& context, const std::string& layer, uint32_t relu_site)
    : d_(context.config.d_model),
      f_(context.config.d_ff),
      in_(context, layer + "ff.in", f_, d_),
      out_(context, layer + "ff.out", d_, f_),
      site_(relu_site) {}

TypedFloats FeedForward::forward(const Context& context, const Rows& rows, ConstTypedFloats input) {
  const int64_t n = rows.count;
  key_ = context.dropout(context.config.relu_dropout, site_);
  input_ = input;
  hidden_ = context.workspace.take_operand(n * f_);
  in_.forward_without_bias(context, n, {input, d_}, {hidden_, f_});
  if (context.config.activation == Activation::kRelu) {
    context.device.relu_forward({n, f_, hidden_, in_.bias().value, key_, rows.token_positions});
  } else {
    before_ = hidden_;
    hidden_ = context.workspace.take_operand(n * f_);
    context.device.smooth_forward(
        {n, f_, smooth_activation(context.config), before_, in_.bias().value, hidden_, key_, rows.token_positions});
  }
  out_.forward_without_bias(context, n, {hidden_, f_}, {context.typed_output(), d_});
  return context.typed_output();
}

void FeedForward::backward(const Context& context, const Rows& rows, ConstTypedFloats output_gradient,
                           MatrixRows input_gradient, Into into) {
  const int64_t n = rows.count;
  const Workspace::Temporary temporary(context.workspace);
  const TypedFloats hidden_gradient = context.workspace.take_operand(n * f_);
  out_.backward_without_bias(context, n, {hidden_, f_}, {output_gradient, d_}, {hidden_gradient, f_}, Into::kReplace);
  if (context.config.activation == Activation::kRelu) {
    context.device.relu_backward(
        {n, f_, hidden_, hidden_gradient, key_.scale, in_.bias().gradient, context.partial_sums});
  } else {
    context.device.smooth_backward({n, f_, smooth_activation(context.config), before_, in_.bias().value,
                                    hidden_gradient, in_.bias().gradient, context.partial_sums, key_,
                                    rows.token_positions});
  }
  in_.backward_without_bias(context, n, {input_, d_}, {hidden_gradient, f_}, input_gradient, into);
}

}  // namespace verbund
