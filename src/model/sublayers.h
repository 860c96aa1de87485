// The building blocks of encoder and decoder on packed rows, forward and backward: linear
// maps, self-attention, cross-attention, feed-forward, and what stands between them
// (residual + dropout + norm). Each keeps what its backward needs in the workspace.
#pragma once

#include <string>

#include "config/model_config.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"
#include "model/batch_view.h"
#include "model/parameters.h"
#include "model/workspace.h"

namespace verbund {

// Where a parameter and its gradient are.
struct Tensor {
  const float* value = nullptr;
  float* gradient = nullptr;
};

// Everything the building blocks share during a step.
struct Context {
  const ModelConfig& config;
  const ParameterTable& table;
  const float* values = nullptr;
  float* gradients = nullptr;
  Workspace* workspace = nullptr;
  float* partial_sums = nullptr;  // scratch of the kernels
  float* output = nullptr;        // [n, d] where sublayers put their result, to be joined at once
  Pass pass;

  Tensor tensor(const std::string& name) const;
  Tensor optional(const std::string& name) const;  // null if the model has none of this name
  DropoutKey dropout(double rate, uint32_t site_number) const;
};

// Which norm stands behind a sublayer: its own (post), or the next one's (pre).
inline std::string norm_behind(const ModelConfig& config, const std::string& own, const std::string& next) {
  return config.norm == NormPlace::kPost ? own : next;
}

class Linear {
 public:
  Linear(const Context& context, const std::string& name, int64_t out, int64_t in);

  // y = x w^T + b
  void forward(int64_t n, ConstMatrixRows x, MatrixRows y) const;
  // Without the bias, which a fused kernel adds later.
  void forward_without_bias(int64_t n, ConstMatrixRows x, MatrixRows y) const;
  // Adds to the weight's gradient (and the bias's); dx is replaced or added to.
  void backward(const Context& context, int64_t n, ConstMatrixRows x, ConstMatrixRows dy, MatrixRows dx,
                Into into) const;
  void backward_without_bias(int64_t n, ConstMatrixRows x, ConstMatrixRows dy, MatrixRows dx, Into into) const;

  const Tensor& bias() const { return bias_; }

 private:
  int64_t out_, in_;
  Tensor weight_, bias_;
};

// Residual + dropout + norm behind a sublayer, in either norm order.
class Join {
 public:
  // `norm`: name of the norm that is applied; "" for none.
  Join(const Context& context, const std::string& norm, uint32_t site_number);

  void forward(const Context& context, const Rows& rows, const float* residual, const float* input,
               const float* input_bias);
  // Gradients of both outputs in; residual_gradient and input_gradient out. They must be
  // different buffers; residual_gradient may be sum_gradient.
  void backward(const Context& context, const Rows& rows, const float* normed_gradient, const float* sum_gradient,
                float* residual_gradient, float* input_gradient, float* input_bias_gradient) const;

  // What the next sublayer adds to, and what it reads.
  const float* residual() const { return pre_ || normed_ == nullptr ? sum_ : normed_; }
  const float* output() const { return normed_ != nullptr ? normed_ : sum_; }

 private:
  bool pre_;
  Tensor scale_, bias_;
  uint32_t site_;
  DropoutKey key_;
  float *sum_ = nullptr, *normed_ = nullptr, *mean_ = nullptr, *inverse_ = nullptr;
};

class SelfAttention {
 public:
  SelfAttention(const Context& context, const std::string& layer, bool causal, uint32_t weights_site);

  // Returns the output before its bias, [n, d].
  float* forward(const Context& context, const Rows& rows, const int64_t* weight_offsets, const float* input);
  void backward(const Context& context, const Rows& rows, const float* output_gradient, MatrixRows input_gradient,
                Into into);
  const Tensor& out_bias() const { return out_.bias(); }

 private:
  AttentionShape shape(const Rows& rows, const int64_t* weight_offsets) const;

  int64_t d_, heads_;
  bool causal_;
  Linear qkv_, out_;
  uint32_t site_;
  DropoutKey key_;
  const int64_t* weight_offsets_ = nullptr;
  const float* input_ = nullptr;
  float *projected_ = nullptr, *weights_ = nullptr, *mixed_ = nullptr;
};

class CrossAttention {
 public:
  CrossAttention(const Context& context, const std::string& layer, uint32_t weights_site);

  // Keys and values are columns of the product for all layers: rows of `stride` floats.
  float* forward(const Context& context, const Rows& rows, const Rows& source, const int64_t* weight_offsets,
                 const float* input, const float* keys, int64_t stride);
  void backward(const Context& context, const Rows& rows, const Rows& source, const float* output_gradient,
                MatrixRows input_gradient, Into into, float* keys_gradient);
  const Tensor& out_bias() const { return out_.bias(); }

 private:
  AttentionShape shape(const Rows& rows, const Rows& source) const;

  int64_t d_, heads_;
  Linear query_, out_;
  uint32_t site_;
  DropoutKey key_;
  const int64_t* weight_offsets_ = nullptr;
  const float *input_ = nullptr, *keys_ = nullptr;
  int64_t stride_ = 0;
  float *projected_ = nullptr, *weights_ = nullptr, *mixed_ = nullptr;
};

class FeedForward {
 public:
  FeedForward(const Context& context, const std::string& layer, uint32_t relu_site);

  float* forward(const Context& context, const Rows& rows, const float* input);
  void backward(const Context& context, const Rows& rows, const float* output_gradient, MatrixRows input_gradient,
                Into into);
  const Tensor& out_bias() const { return out_.bias(); }

 private:
  int64_t d_, f_;
  Linear in_, out_;
  uint32_t site_;
  DropoutKey key_;
  const float* input_ = nullptr;
  float* hidden_ = nullptr;
};

}  // namespace verbund
