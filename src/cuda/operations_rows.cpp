// Launches of what works on rows of features: norms, ReLU, embeddings, biases and sums over rows.
#include "core/error.h"
#include "cuda/arguments.h"
#include "cuda/cuda_device.h"

namespace verbund::cuda {
namespace {

constexpr uint64_t kRowBlocks = 32;  // of sums over rows, as partial_sums_size has it
constexpr int64_t kTileColumns = 128;

int32_t width_of(int64_t d) {
  if (d < 1 || d > 1 << 24) fail("rows of {} numbers are more than GPU kernels take", d);
  return static_cast<int32_t>(d);
}

constexpr unsigned kNormThreads = 128;  // as in kernels/norm.cuh

// So many threads share a row of a norm: a power of 2, at most a warp.
int32_t threads_for_row(int64_t d) {
  int32_t threads = 4;
  while (threads < 32 && threads < strips_of_row(d)) threads *= 2;
  return threads;
}

}  // namespace

void CudaDevice::norm_forward(int64_t n, int64_t d, const NormForward& op, const DropoutKey& key, const TokenPosition* rows) {
  NormForwardArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.threads = threads_for_row(d);
  a.vectors = all_aligned(d, op.residual, op.input, op.input_bias, op.scale, op.bias, op.sum, op.normed,
                          ConstTypedFloats(op.factors));
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
  a.factors = op.factors.data;
  a.key = mask_key(key);
  a.rows = row_ids(rows);
  // Input and factors are of one type, or the input is in float and factors are not.
  const FloatType type = op.factors ? op.factors.type : compute_dtype();
  const bool mixed = op.input.type != type;
  if (mixed && op.input.type != FloatType::kFp32) fail("the input of a norm is of another type than its output");
  launch(kernels_for(type), mixed ? Kernel::norm_forward_of_floats : Kernel::norm_forward,
         {blocks_for(n, kNormThreads / a.threads)}, kNormThreads, a);
}

void CudaDevice::norm_backward(int64_t n, int64_t d, const NormBackward& op, const DropoutKey& key, const TokenPosition* rows,
                               float* partial_sums) {
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
  a.partial_sums = partial_sums;
  a.key = mask_key(key);
  a.rows = row_ids(rows);
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
    sums.partial_sums = partial_sums;
    launch(module, Kernel::column_sums, tiles, kThreads, sums);
  }
  if (norm || biased) {
    add_partials(d, 3, partial_sums, norm ? op.scale_gradient : nullptr, norm ? op.bias_gradient : nullptr,
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
  launch(*factor_kernels_, Kernel::add_partials, {blocks_for(d, kThreads)}, kThreads, a);
}

void CudaDevice::relu_forward(int64_t n, int64_t f, TypedFloats x, const float* bias, const DropoutKey& key,
                              const TokenPosition* rows) {
  ReluForwardArguments a = {};
  a.n = n;
  a.f = width_of(f);
  a.vectors = all_aligned(f, ConstTypedFloats(x), bias);
  a.x = x.data;
  a.bias = bias;
  a.key = mask_key(key);
  a.rows = row_ids(rows);
  launch(kernels_for(x.type), Kernel::relu_forward, {blocks_for(n * strips_of_row(f), kThreads)}, kThreads, a);
}

void CudaDevice::relu_backward(int64_t n, int64_t f, ConstTypedFloats output, TypedFloats gradient, float scale,
                               float* bias_gradient, float* partial_sums) {
  if (output.type != gradient.type) fail("the output of a ReLU is of another type than its gradient");
  ReluBackwardArguments a = {};
  a.n = n;
  a.f = width_of(f);
  a.vectors = all_aligned(f, output, ConstTypedFloats(gradient));
  a.output = output.data;
  a.gradient = gradient.data;
  a.scale = scale;
  a.partial_sums = partial_sums;
  launch(kernels_for(gradient.type), Kernel::relu_backward, {blocks_for(f, kTileColumns), kRowBlocks}, kThreads, a);
  if (bias_gradient != nullptr) add_partials(f, 1, partial_sums, bias_gradient);
}

void CudaDevice::embed_forward(int64_t n, int64_t d, const int32_t* ids, const float* table, float factor,
                               const float* positions, float* out, const DropoutKey& key, const TokenPosition* rows) {
  EmbedForwardArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.vectors = all_aligned(d, table, positions, out);
  a.ids = ids;
  a.table = table;
  a.factor = factor;
  a.positions = positions;
  a.out = out;
  a.key = mask_key(key);
  a.rows = row_ids(rows);
  launch(*factor_kernels_, Kernel::embed_forward, {blocks_for(n * strips_of_row(d), kThreads)}, kThreads, a);
}

void CudaDevice::embed_backward(int64_t, int64_t d, const int32_t*, const TokenOrder& order, const float* gradient,
                                float factor, float* table_gradient, const DropoutKey& key, const TokenPosition* rows) {
  EmbedBackwardArguments a = {};
  a.distinct = order.distinct;
  a.d = width_of(d);
  a.vectors = all_aligned(d, gradient, table_gradient);
  a.tokens = order.tokens;
  a.first = order.first;
  a.token_rows = order.rows;
  a.gradient = gradient;
  a.factor = factor;
  a.table_gradient = table_gradient;
  a.key = mask_key(key);
  a.rows = row_ids(rows);
  launch(*factor_kernels_, Kernel::embed_backward, {blocks_for(order.distinct * strips_of_row(d), kThreads)}, kThreads,
         a);
}

void CudaDevice::add_bias(int64_t n, int64_t d, TypedFloats x, int64_t stride, const float* bias) {
  AddBiasArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.vectors = stride % 4 == 0 && all_aligned(d, ConstTypedFloats(x), bias);
  a.x = x.data;
  a.stride = stride;
  a.bias = bias;
  launch(kernels_for(x.type), Kernel::add_bias, {blocks_for(n * ((d + 3) / 4), kThreads)}, kThreads, a);
}

void CudaDevice::column_sums(int64_t n, int64_t d, ConstTypedFloats x, float* sums, float* partial_sums) {
  ColumnSumsArguments a = {};
  a.n = n;
  a.d = width_of(d);
  a.vectors = all_aligned(d, x);
  a.x = x.data;
  a.arrays = 1;
  a.array = 0;
  a.partial_sums = partial_sums;
  launch(kernels_for(x.type), Kernel::column_sums, {blocks_for(d, kTileColumns), kRowBlocks}, kThreads, a);
  add_partials(d, 1, partial_sums, sums);
}

}  // namespace verbund::cuda
