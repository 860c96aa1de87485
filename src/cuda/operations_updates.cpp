// SPDX-License-Identifier: Apache-2.0
// Launches of the operations on flat buffers: optimizer updates, EMA, norms.
#include <algorithm>
#include <vector>

#include "core/error.h"
#include "cuda/arguments.h"
#include "cuda/cuda_device.h"

namespace verbund::cuda {
namespace {

// Enough blocks to fill any GPU; their threads stride over groups of four numbers.
uint64_t blocks_of_quads(size_t size) {
  return std::min<uint64_t>(blocks_for(static_cast<int64_t>(size), 4 * int64_t{kThreads}), 2048);
}

constexpr size_t kMeasuredBlock = 65536;  // values that one block measures

}  // namespace

void CudaDevice::round(const RoundValues& op) {
  const RoundArguments a = {static_cast<int64_t>(op.size), aligned(op.values) && aligned(ConstTypedFloats(op.operands)),
                            op.values, op.operands.data};
  launch(kernels_for(op.operands.type), Kernel::round_operands, {blocks_of_quads(op.size)}, kThreads, a);
}

void CudaDevice::adam(const AdamUpdate& u) {
  AdamArguments a = {};
  a.size = static_cast<int64_t>(u.size);
  a.vectors = all_aligned(0, u.gradients, u.weights, u.mean, u.square, ConstTypedFloats(u.operands));
  a.gradients = u.gradients;
  a.weights = u.weights;
  a.mean = u.mean;
  a.square = u.square;
  a.operands = u.operands.data;
  a.gradient_scale = u.gradient_scale;
  a.gradient_decay = u.gradient_decay;
  a.weight_keep = u.weight_keep;
  a.beta1 = u.beta1;
  a.one_minus_beta1 = u.one_minus_beta1;
  a.beta2 = u.beta2;
  a.one_minus_beta2 = u.one_minus_beta2;
  a.root_scale = u.root_scale;
  a.epsilon = u.epsilon;
  a.rate = u.rate;
  launch(kernels_for(u.operands ? u.operands.type : compute_dtype()), Kernel::adam, {blocks_of_quads(u.size)}, kThreads,
         a);
}

void CudaDevice::sgd(const SgdUpdate& u) {
  SgdArguments a = {};
  a.size = static_cast<int64_t>(u.size);
  a.vectors = all_aligned(0, u.gradients, u.weights, u.momentum, ConstTypedFloats(u.operands));
  a.gradients = u.gradients;
  a.weights = u.weights;
  a.momentum = u.momentum;
  a.operands = u.operands.data;
  a.gradient_scale = u.gradient_scale;
  a.weight_decay = u.weight_decay;
  a.momentum_keep = u.momentum_keep;
  a.rate = u.rate;
  launch(kernels_for(u.operands ? u.operands.type : compute_dtype()), Kernel::sgd, {blocks_of_quads(u.size)}, kThreads,
         a);
}

void CudaDevice::ema(const EmaUpdate& u) {
  const EmaArguments a = {static_cast<int64_t>(u.size), all_aligned(0, u.weights, u.average), u.weights, u.average,
                          u.share};
  launch(*compute_kernels_, Kernel::ema, {blocks_of_quads(u.size)}, kThreads, a);
}

void CudaDevice::swap(const SwapBuffers& op) {
  const SwapArguments a = {static_cast<int64_t>(op.size), all_aligned(0, op.a, op.b), op.a, op.b};
  launch(*compute_kernels_, Kernel::swap_buffers, {blocks_of_quads(op.size)}, kThreads, a);
}

Magnitude CudaDevice::measure(const float* values, std::span<const Interval> intervals) {
  std::vector<MeasuredPart> parts;
  for (const Interval interval : intervals) {
    for (size_t begin = interval.begin; begin < interval.end; begin += kMeasuredBlock) {
      const size_t end = std::min(begin + kMeasuredBlock, interval.end);
      parts.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(end), 0, 0});
    }
  }
  if (parts.empty()) return {};
  const size_t count = parts.size();
  parts.push_back({});  // for the sum
  auto* memory = static_cast<MeasuredPart*>(scratch(parts.size() * sizeof(MeasuredPart)));
  upload(memory, parts.data(), parts.size() * sizeof(MeasuredPart));
  const MeasureArguments a = {values, static_cast<int64_t>(count), memory};
  launch(*compute_kernels_, Kernel::measure_parts, {count}, kThreads, a);
  launch(*compute_kernels_, Kernel::add_measured, {1}, kThreads, a);
  MeasuredPart all = {};
  download(&all, memory + count, sizeof(all));
  return {all.squares, all.largest};
}

}  // namespace verbund::cuda
