// SPDX-License-Identifier: Apache-2.0
// Launches of the operations on rows of features: norms, ReLU, embeddings, biases and sums over rows.
#include "core/error.h"
#include "cuda/arguments.h"
#include "cuda/cuda_device.h"

namespace verbund::cuda {
namespace {

constexpr uint64_t kRowBlocks = 32;  // of sums over rows, as partial_sums_size has it
constexpr int64_t kTileColumns = 128;

int32_t width_of(int64_t d) {
  if (d < 1 || d > 1 << 24) fail("rows of {} numbers are too wide for GPU kernels", d);
  return static_cast<int32_t>(d);
}

constexpr unsigned kNormThreads = 128;  // as in kernels/norm.cuh

// The number of threads that share a row of a norm: a power of 2, at most a warp.
int32_t threads_for_row(int64_t d) {
  int32_t threads = 4;
  while (threads < 32 && threads < strips_of_row(d)) threads *= 2;
  return threads;
}

}  // namespace

void CudaDevice::norm_forward(const NormForward& op) {
  const int64_t n = op.rows, d = op.width;
  NormForwardArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.threads = threads_for_row(d);
  a.vectors = all_aligned(d, op.residual, op.input, op.input_bias, op.scale, op.bias, op.sum, op.normed,
                          ConstTypedFloats(op.operand));
  a.residual = op.residual;
  a.input = op.input.data;
  a.input_bias = op.input_bias;
  a.scale = op.scale;
  a.bias = op.bias;
  a.epsilon = op.epsilon;
  a.sum = op.sum;
  a.normed = op.normed;
  a.mean = op.mean;
  a.inverse_deviation = op.inverse_deviation;
  a.operand = op.operand.data;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  // Input and operand have one type, or the input is in float and the operand is not.
  const FloatType type = op.operand ? op.operand.type : compute_dtype();
  const bool mixed = op.input.type != type;
  if (mixed && op.input.type != FloatType::kFp32) fail("the input of a norm has another type than its output");
  launch(kernels_for(type), mixed ? Kernel::norm_forward_of_floats : Kernel::norm_forward,
         {blocks_for(n, kNormThreads / a.threads)}, kNormThreads, a);
}

void CudaDevice::norm_backward(const NormBackward& op) {
  const int64_t n = op.rows, d = op.width;
  NormBackwardArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.threads = threads_for_row(d);
  a.vectors = all_aligned(d, op.sum, op.scale, op.normed_gradient, op.sum_gradient, op.residual_gradient,
                          ConstTypedFloats(op.input_gradient));
  a.sum = op.sum;
  a.mean = op.mean;
  a.inverse_deviation = op.inverse_deviation;
  a.scale = op.scale;
  a.normed_gradient = op.normed_gradient;
  a.sum_gradient = op.sum_gradient;
  a.residual_gradient = op.residual_gradient;
  a.input_gradient = op.input_gradient.data;
  a.partial_sums = op.partial_sums;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  Module& module = kernels_for(op.input_gradient ? op.input_gradient.type : compute_dtype());
  const Grid tiles = {blocks_for(d, kTileColumns), kRowBlocks};
  const bool norm = op.scale != nullptr && op.normed_gradient != nullptr;
  const bool biased = op.input_bias_gradient != nullptr && op.input_gradient;
  if (norm) launch(module, Kernel::norm_sums, tiles, kThreads, a);
  launch(module, Kernel::norm_backward, {blocks_for(n, kNormThreads / a.threads)}, kNormThreads, a);
  if (biased) {
    ColumnSumsArguments sums = {};
    sums.n = n;
    sums.d = a.d;
    sums.vectors = a.vectors;
    sums.x = op.input_gradient.data;
    sums.arrays = 3;
    sums.array = 2;
    sums.partial_sums = op.partial_sums;
    launch(module, Kernel::column_sums, tiles, kThreads, sums);
  }
  if (norm || biased) {
    add_partials(d, 3, op.partial_sums, norm ? op.scale_gradient : nullptr, norm ? op.bias_gradient : nullptr,
                 biased ? op.input_bias_gradient : nullptr);
  }
}

void CudaDevice::add_partials(int64_t d, int arrays, const float* partial_sums, float* first, float* second,
                              float* third) {
  AddPartialsArguments a = {};
  a.d = width_of(d);
  a.arrays = arrays;
  a.partial_sums = partial_sums;
  a.sums[0] = first;
  a.sums[1] = second;
  a.sums[2] = third;
  launch(*compute_kernels_, Kernel::add_partials, {blocks_for(d, kThreads)}, kThreads, a);
}

void CudaDevice::relu_forward(const ReluForward& op) {
  const int64_t n = op.rows, f = op.width;
  ReluForwardArguments a = {};
  a.n = n;
  a.f = width_of(f);
  a.vectors = all_aligned(f, ConstTypedFloats(op.x), op.bias);
  a.x = op.x.data;
  a.bias = op.bias;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  launch(kernels_for(op.x.type), Kernel::relu_forward, {blocks_for(n * strips_of_row(f), kThreads)}, kThreads, a);
}

void CudaDevice::relu_backward(const ReluBackward& op) {
  const int64_t f = op.width;
  if (op.output.type != op.gradient.type) fail("the output of a ReLU has another type than its gradient");
  ReluBackwardArguments a = {};
  a.n = op.rows;
  a.f = width_of(f);
  a.vectors = all_aligned(f, op.output, ConstTypedFloats(op.gradient));
  a.output = op.output.data;
  a.gradient = op.gradient.data;
  a.scale = op.scale;
  a.partial_sums = op.partial_sums;
  launch(kernels_for(op.gradient.type), Kernel::relu_backward, {blocks_for(f, kTileColumns), kRowBlocks}, kThreads, a);
  if (op.bias_gradient != nullptr) add_partials(f, 1, op.partial_sums, op.bias_gradient);
}

void CudaDevice::smooth_forward(const SmoothForward& op) {
  const int64_t n = op.rows, f = op.width;
  if (op.x.type != op.output.type) fail("the input of an activation has another type than its output");
  SmoothForwardArguments a = {};
  a.n = n;
  a.f = width_of(f);
  a.vectors = all_aligned(f, op.x, op.bias, ConstTypedFloats(op.output));
  a.activation = static_cast<int32_t>(op.activation);
  a.x = op.x.data;
  a.bias = op.bias;
  a.output = op.output.data;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  launch(kernels_for(op.x.type), Kernel::smooth_forward, {blocks_for(n * strips_of_row(f), kThreads)}, kThreads, a);
}

void CudaDevice::smooth_backward(const SmoothBackward& op) {
  const int64_t n = op.rows, f = op.width;
  if (op.x.type != op.gradient.type) fail("the input of an activation has another type than its gradient");
  SmoothBackwardArguments a = {};
  a.n = n;
  a.f = width_of(f);
  a.vectors = all_aligned(f, op.x, op.bias, ConstTypedFloats(op.gradient));
  a.activation = static_cast<int32_t>(op.activation);
  a.x = op.x.data;
  a.bias = op.bias;
  a.gradient = op.gradient.data;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  launch(kernels_for(op.x.type), Kernel::smooth_backward, {blocks_for(n * strips_of_row(f), kThreads)}, kThreads, a);
  if (op.bias_gradient != nullptr) column_sums({n, f, op.gradient, op.bias_gradient, op.partial_sums});
}

void CudaDevice::embed_forward(const EmbedForward& op) {
  const int64_t n = op.rows, d = op.width;
  EmbedForwardArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.vectors = all_aligned(d, op.table, op.position_codes, op.out);
  a.ids = op.ids;
  a.table = op.table;
  a.factor = op.factor;
  a.position_codes = op.position_codes;
  a.out = op.out;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  launch(*compute_kernels_, Kernel::embed_forward, {blocks_for(n * strips_of_row(d), kThreads)}, kThreads, a);
}

void CudaDevice::embed_backward(const EmbedBackward& op) {
  const int64_t d = op.width;
  EmbedBackwardArguments a = {};
  a.distinct = op.order.distinct;
  a.d = width_of(d);
  a.vectors = all_aligned(d, op.gradient, op.table_gradient);
  a.tokens = op.order.tokens;
  a.first = op.order.first;
  a.token_rows = op.order.rows;
  a.gradient = op.gradient;
  a.factor = op.factor;
  a.table_gradient = op.table_gradient;
  a.key = mask_key(op.dropout);
  a.token_positions = mask_positions(op.token_positions);
  launch(*compute_kernels_, Kernel::embed_backward, {blocks_for(op.order.distinct * strips_of_row(d), kThreads)},
         kThreads, a);
}

void CudaDevice::add_bias(const AddBias& op) {
  const int64_t n = op.rows, d = op.width;
  AddBiasArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.vectors = op.stride % 4 == 0 && all_aligned(d, ConstTypedFloats(op.x), op.bias);
  a.x = op.x.data;
  a.stride = op.stride;
  a.bias = op.bias;
  launch(kernels_for(op.x.type), Kernel::add_bias, {blocks_for(n * ((d + 3) / 4), kThreads)}, kThreads, a);
}

void CudaDevice::column_sums(const ColumnSums& op) {
  const int64_t d = op.width;
  ColumnSumsArguments a = {};
  a.n = op.rows;
  a.d = width_of(d);
  a.vectors = all_aligned(d, op.x);
  a.x = op.x.data;
  a.arrays = 1;
  a.array = 0;
  a.partial_sums = op.partial_sums;
  launch(kernels_for(op.x.type), Kernel::column_sums, {blocks_for(d, kTileColumns), kRowBlocks}, kThreads, a);
  add_partials(d, 1, op.partial_sums, op.sums);
}

}  // namespace verbund::cuda
