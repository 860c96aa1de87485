// SPDX-License-Identifier: Apache-2.0
// Launches of the operations on logits: the loss, and the choice of next tokens.
#include <algorithm>
#include <limits>

#include "core/error.h"
#include "cuda/arguments.h"
#include "cuda/cuda_device.h"

namespace verbund::cuda {
namespace {

int32_t vocabulary_of(int64_t size) {
  if (size < 1 || size > std::numeric_limits<int32_t>::max() / 2) fail("a vocabulary has {} tokens", size);
  return static_cast<int32_t>(size);
}

// Enough blocks to fill any GPU; their threads stride over the numbers.
uint64_t striding_blocks(int64_t count) { return std::min<uint64_t>(blocks_for(count, kThreads), 2048); }

}  // namespace

void CudaDevice::loss(const LossRows& op) {
  LossArguments a = {};
  a.vocabulary = vocabulary_of(op.vocabulary);
  a.vectors = all_aligned(op.vocabulary, ConstTypedFloats(op.logits), ConstTypedFloats(op.gradient));
  a.logits = op.logits.data;
  a.targets = op.targets;
  a.smoothing = op.smoothing;
  a.gradient = op.gradient.data;
  a.gradient_scale = op.gradient_scale;
  a.smoothed = op.smoothed;
  a.cross_entropy = op.cross_entropy;
  a.best = op.best;
  if (op.gradient && op.gradient.type != op.logits.type) fail("logits have another type than their gradient");
  const bool floats = op.logits.type == FloatType::kFp32 && compute_dtype() != FloatType::kFp32;
  launch(*compute_kernels_, floats ? Kernel::loss_of_floats : Kernel::loss, {static_cast<uint64_t>(op.rows)}, kThreads,
         a);
}

void CudaDevice::sum_losses(const SumLosses& op) {
  static_assert(sizeof(LossSums) == 3 * sizeof(double));
  const SumLossesArguments a = {op.rows, op.smoothed, op.cross_entropy, op.best, op.targets, &op.sums->smoothed};
  launch(*compute_kernels_, Kernel::sum_losses, {1}, kThreads, a);
}

void CudaDevice::best_tokens(const BestTokens& op) {
  const BestTokensArguments a = {vocabulary_of(op.vocabulary),
                                 static_cast<int32_t>(op.count),
                                 op.logits,
                                 op.tokens,
                                 op.log_probabilities,
                                 op.log_partition};
  launch(*compute_kernels_, Kernel::best_tokens, {static_cast<uint64_t>(op.rows)}, kThreads, a);
}

void CudaDevice::add_probabilities(const AddProbabilities& op) {
  const AddProbabilitiesArguments a = {op.rows, op.vocabulary, op.logits, op.log_partition, op.share, op.probabilities};
  launch(*compute_kernels_, Kernel::add_probabilities, {striding_blocks(op.rows * op.vocabulary)}, kThreads, a);
}

void CudaDevice::take_logarithm(const TakeLogarithm& op) {
  const LogarithmArguments a = {op.count, op.values};
  launch(*compute_kernels_, Kernel::take_logarithm, {striding_blocks(op.count)}, kThreads, a);
}

}  // namespace verbund::cuda
