// SPDX-License-Identifier: Apache-2.0
// The sublayers of encoder and decoder on packed rows, forward and backward: linear layers, self-attention,
// cross-attention, feed-forward, and ResidualNorm between them. Each keeps in the workspace what its backward needs.
#pragma once

#include <cmath>
#include <string>

#include "config/model_config.h"
#include "device/gemm.h"
#include "device/workspace.h"
#include "model/batch_view.h"
#include "model/packed_weights.h"
#include "model/parameters.h"

namespace verbund {

// A parameter and its gradient in the device's memory.
struct Tensor {
  const float* value = nullptr;
  ConstTypedFloats operand = {};  // the value in the compute dtype, as GEMMs read it
  float* gradient = nullptr;
};

// Context is what the sublayers share during a step.
struct Context {
  Device& device;
  Workspace& workspace;
  const ModelConfig& config;
  const ParameterTable& table;
  const float* values = nullptr;
  ConstTypedFloats operands = {};  // the values in the compute dtype, as GEMMs read them
  float* gradients = nullptr;
  float* partial_sums = nullptr;  // scratch of the kernels
  float* output = nullptr;        // [n, d] the result of a sublayer, which a ResidualNorm reads at once
  Pass pass = {};
  PackedWeights* packed = nullptr;  // up to date, while translating

  // The same memory for a result in the compute dtype.
  TypedFloats typed_output() const { return {output, device.compute_dtype()}; }

  Tensor tensor(const std::string& name) const;
  Tensor optional(const std::string& name) const;  // null if the model has none of this name
  DropoutKey dropout(double rate, uint32_t site_number) const;
};

// The norm that follows a sublayer: its own (post), or the next one's (pre).
inline std::string norm_after(const ModelConfig& config, const std::string& own, const std::string& next) {
  return config.norm == NormPlace::kPost ? own : next;
}

// The factor of looked-up embeddings.
inline float embedding_factor(const ModelConfig& config) {
  return config.scale_embeddings ? std::sqrt(static_cast<float>(config.d_model)) : 1.0f;
}

class Linear {
 public:
  Linear(const Context& context, const std::string& name, int64_t out, int64_t in);

  // y = x w^T + b
  void forward(const Context& context, int64_t n, ConstMatrixRows x, MatrixRows y) const;
  // The same without the bias, which a fused kernel adds later.
  void forward_without_bias(const Context& context, int64_t n, ConstMatrixRows x, MatrixRows y) const;
  // Adds to the weight's gradient (and the bias's); dx is replaced or added to.
  void backward(const Context& context, int64_t n, ConstMatrixRows x, ConstMatrixRows dy, MatrixRows dx,
                Into into) const;
  void backward_without_bias(const Context& context, int64_t n, ConstMatrixRows x, ConstMatrixRows dy, MatrixRows dx,
                             Into into) const;

  const Tensor& bias() const { return bias_; }

 private:
  int64_t out_, in_;
  Tensor weight_, bias_;
};

// ResidualNorm is residual + dropout + norm after a sublayer, in either norm order.
class ResidualNorm {
 public:
  // `norm`: name of the norm that is applied; "" for none.
  ResidualNorm(const Context& context, const std::string& norm, uint32_t site_number);

  void forward(const Context& context, const Rows& rows, const float* residual, ConstTypedFloats input,
               const float* input_bias);
  // Gradients of both outputs in; residual_gradient and input_gradient out. They must be
  // different buffers; residual_gradient may be sum_gradient.
  void backward(const Context& context, const Rows& rows, const float* normed_gradient, const float* sum_gradient,
                float* residual_gradient, TypedFloats input_gradient, float* input_bias_gradient) const;

  // The residual that the next sublayer adds to, and the input that its GEMMs read.
  const float* residual() const { return pre_ || normed_ == nullptr ? sum_ : normed_; }
  ConstTypedFloats output() const { return output_; }

 private:
  bool pre_;
  Tensor scale_, bias_;
  uint32_t site_;
  DropoutKey key_;
  float *sum_ = nullptr, *normed_ = nullptr, *mean_ = nullptr, *inverse_ = nullptr;
  TypedFloats output_;
};

// Attention of queries over keys and values, and the projection of its output.
class Attention {
 public:
  Attention(const Context& context, const std::string& out, bool causal, uint32_t weights_site);

  struct Inputs {
    ConstTypedFloats query, key, value;
    int64_t query_stride, key_stride;
  };
  // Returns the output before its bias, [n, d].
  TypedFloats forward(const Context& context, const Rows& rows, const Rows& source, const WeightOffsets& weight_offsets,
                      const Inputs& inputs);
  void backward(const Context& context, const Rows& rows, const Rows& source, ConstTypedFloats output_gradient,
                TypedFloats query_gradient, TypedFloats key_gradient, TypedFloats value_gradient);
  const Tensor& out_bias() const { return out_.bias(); }

 private:
  AttentionShape shape(const Rows& rows, const Rows& source) const;

  int64_t d_, heads_;
  bool causal_;
  Linear out_;
  uint32_t site_;
  DropoutKey key_;
  WeightOffsets weight_offsets_;
  Inputs inputs_;
  TypedFloats mixed_;
  float* weights_ = nullptr;
};

class SelfAttention {
 public:
  SelfAttention(const Context& context, const std::string& layer, bool causal, uint32_t weights_site);

  TypedFloats forward(const Context& context, const Rows& rows, const WeightOffsets& weight_offsets,
                      ConstTypedFloats input);
  void backward(const Context& context, const Rows& rows, ConstTypedFloats output_gradient, MatrixRows input_gradient,
                Into into);
  const Tensor& out_bias() const { return attention_.out_bias(); }

 private:
  int64_t d_;
  Linear qkv_;
  Attention attention_;
  ConstTypedFloats input_;
};

class CrossAttention {
 public:
  CrossAttention(const Context& context, const std::string& layer, uint32_t weights_site);

  // Keys and values are columns of one GEMM's result for all layers: rows of `stride` elements.
  TypedFloats forward(const Context& context, const Rows& rows, const Rows& source, const WeightOffsets& weight_offsets,
                      ConstTypedFloats input, ConstTypedFloats keys, int64_t stride);
  void backward(const Context& context, const Rows& rows, const Rows& source, ConstTypedFloats output_gradient,
                MatrixRows input_gradient, Into into, TypedFloats keys_gradient);
  const Tensor& out_bias() const { return attention_.out_bias(); }

 private:
  int64_t d_;
  Linear query_;
  Attention attention_;
  ConstTypedFloats input_;
};

class FeedForward {
 public:
  FeedForward(const Context& context, const std::string& layer, uint32_t relu_site);

  TypedFloats forward(const Context& context, const Rows& rows, ConstTypedFloats input);
  void backward(const Context& context, const Rows& rows, ConstTypedFloats output_gradient, MatrixRows input_gradient,
                Into into);
  const Tensor& out_bias() const { return out_.bias(); }

 private:
  int64_t d_, f_;
  Linear in_, out_;
  uint32_t site_;
  DropoutKey key_;
  ConstTypedFloats input_;
  TypedFloats before_, hidden_;  // before_: what a smooth activation is applied to
};

}  // namespace verbund
