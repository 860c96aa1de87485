// SPDX-License-Identifier: Apache-2.0
// Launches of attention: of whole sentences, and of single queries while decoding.
#include <algorithm>

#include "core/error.h"
#include "cuda/arguments.h"
#include "cuda/cuda_device.h"

namespace verbund::cuda {
namespace {

constexpr unsigned kAttentionThreads = 128;
constexpr int64_t kWidestQuery = 4096;  // as in kernels/decoding.cuh

AttentionArguments of_shape(const AttentionShape& shape, const DropoutKey& dropout) {
  if (shape.depth < 1 || shape.depth > 128) {
    fail_usage("a head of attention has {} features, but a GPU supports at most 128: use more model.heads",
               shape.depth);
  }
  AttentionArguments a = {};
  a.heads = shape.heads;
  a.depth = shape.depth;
  a.causal = shape.causal;
  a.sentences = shape.sentences;
  a.query_offsets = shape.query_offsets;
  a.key_offsets = shape.key_offsets;
  a.weight_offsets = shape.weight_offsets;
  a.sentence_ids = shape.sentence_ids;
  a.mask = mask_key(dropout);
  return a;
}

template <typename... Types>
void expect_one_type(FloatType type, const Types&... others) {
  if (((others.type != type) || ...)) fail("the arrays of an attention have several types");
}

uint64_t tasks(const AttentionShape& shape) {
  return static_cast<uint64_t>(shape.sentences) * static_cast<uint64_t>(shape.heads);
}

}  // namespace

void CudaDevice::attention_forward(const AttentionForward& op) {
  const AttentionShape& shape = op.shape;
  if (tasks(shape) == 0) return;
  expect_one_type(op.query.type, op.key, op.value, op.output);
  AttentionArguments a = of_shape(shape, op.dropout);
  a.vectors = op.query_stride % 4 == 0 && op.key_stride % 4 == 0 &&
              all_aligned(shape.depth, op.query, op.key, op.value, ConstTypedFloats(op.output));
  a.query = op.query.data;
  a.key = op.key.data;
  a.value = op.value.data;
  a.query_stride = op.query_stride;
  a.key_stride = op.key_stride;
  a.weights = op.weights;
  a.output = op.output.data;
  // Few sentences: several blocks share a head, so that all of the GPU has work.
  const uint64_t sharing = std::clamp<uint64_t>(512 / tasks(shape), 1, 8);
  launch(kernels_for(op.query.type), shape.depth <= 64 ? Kernel::attention_forward_64 : Kernel::attention_forward_128,
         {tasks(shape), sharing}, kAttentionThreads, a);
}

void CudaDevice::attention_backward(const AttentionBackward& op) {
  const AttentionShape& shape = op.shape;
  if (tasks(shape) == 0) return;
  expect_one_type(op.query.type, op.key, op.value, op.output_gradient, op.query_gradient, op.key_gradient,
                  op.value_gradient);
  AttentionArguments a = of_shape(shape, op.dropout);
  a.vectors =
      op.query_stride % 4 == 0 && op.key_stride % 4 == 0 &&
      all_aligned(shape.depth, op.query, op.key, op.value, op.output_gradient, ConstTypedFloats(op.query_gradient),
                  ConstTypedFloats(op.key_gradient), ConstTypedFloats(op.value_gradient));
  a.query = op.query.data;
  a.key = op.key.data;
  a.value = op.value.data;
  a.query_stride = op.query_stride;
  a.key_stride = op.key_stride;
  a.weights = const_cast<float*>(op.weights);  // only read by this kernel
  a.output_gradient = op.output_gradient.data;
  a.query_gradient = op.query_gradient.data;
  a.key_gradient = op.key_gradient.data;
  a.value_gradient = op.value_gradient.data;
  launch(kernels_for(op.query.type), shape.depth <= 64 ? Kernel::attention_backward_64 : Kernel::attention_backward_128,
         {tasks(shape)}, kAttentionThreads, a);
}

void CudaDevice::step_attention(const StepAttention& op) {
  if (op.rows == 0) return;
  expect_one_type(op.query.type, op.output);
  if (op.depth < 1 || op.depth > 128 || op.heads * op.depth > kWidestQuery) {
    fail_usage("attention of {} heads of {} features: on a GPU a head has at most 128, all together at most {}",
               op.heads, op.depth, kWidestQuery);
  }
  StepAttentionArguments a = {};
  a.heads = static_cast<int32_t>(op.heads);
  a.depth = static_cast<int32_t>(op.depth);
  // Keys are rows of arrays whose widths are multiples of the model's, so they are aligned as their offsets are.
  a.vectors = op.depth % 4 == 0 && op.key_offset % 4 == 0;
  a.query = op.query.data;
  a.query_stride = op.query_stride;
  a.keys = op.keys;
  a.first = op.first;
  a.counts = op.counts;
  a.key_offset = op.key_offset;
  a.value_offset = op.value_offset;
  a.output = op.output.data;
  a.aligned = op.aligned;
  if (op.aligned != nullptr) {
    a.partitions = static_cast<float*>(scratch(static_cast<size_t>(op.rows * op.heads) * 2 * sizeof(float)));
  }
  Module& module = kernels_for(op.query.type);
  launch(module, Kernel::step_attention, {static_cast<uint64_t>(op.rows * op.heads)}, kAttentionThreads, a);
  if (op.aligned != nullptr) {
    launch(module, Kernel::step_alignment, {static_cast<uint64_t>(op.rows)}, kThreads, a);
  }
}

}  // namespace verbund::cuda
