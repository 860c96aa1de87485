// Launches of what changes or measures flat buffers: the optimisers' updates, averages, norms.
#include <algorithm>
#include <vector>

#include "core/error.h"
#include "cuda/arguments.h"
#include "cuda/cuda_device.h"

namespace verbund::cuda {
namespace {

// Enough blocks to fill any GPU; their threads go on with every so many-th four numbers.
uint64_t blocks_of_quads(size_t size) {
  return std::min<uint64_t>(blocks_for(static_cast<int64_t>(size), 4 * int64_t{kThreads}), 2048);
}

constexpr size_t kMeasuredBlock = 65536;  // values that one block measures

}  // namespace

void CudaDevice::round(size_t count, const float* values, TypedFloats factors) {
  const RoundArguments a = {static_cast<int64_t>(count), aligned(values) && aligned(ConstTypedFloats(factors)), values,
                            factors.data};
  launch(kernels_for(factors.type), Kernel::round_factors, {blocks_of_quads(count)}, kThreads, a);
}

void CudaDevice::adam(const AdamUpdate& u) {
  AdamArguments a = {};
  a.size = static_cast<int64_t>(u.size);
  a.vectors = all_aligned(0, u.gradients, u.weights, u.mean, u.square, ConstTypedFloats(u.factors));
  a.gradients = u.gradients;
  a.weights = u.weights;
  a.mean = u.mean;
  a.square = u.square;
  a.factors = u.factors.data;
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
  launch(kernels_for(u.factors ? u.factors.type : compute_dtype()), Kernel::adam, {blocks_of_quads(u.size)}, kThreads, a);
}

void CudaDevice::sgd(const SgdUpdate& u) {
  SgdArguments a = {};
  a.size = static_cast<int64_t>(u.size);
  a.vectors = all_aligned(0, u.gradients, u.weights, u.momentum, ConstTypedFloats(u.factors));
  a.gradients = u.gradients;
  a.weights = u.weights;
  a.momentum = u.momentum;
  a.factors = u.factors.data;
  a.gradient_scale = u.gradient_scale;
  a.weight_decay = u.weight_decay;
  a.momentum_keep = u.momentum_keep;
  a.rate = u.rate;
  launch(kernels_for(u.factors ? u.factors.type : compute_dtype()), Kernel::sgd, {blocks_of_quads(u.size)}, kThreads, a);
}

void CudaDevice::average(const AverageUpdate& u) {
  const AverageArguments a = {static_cast<int64_t>(u.size), all_aligned(0, u.weights, u.average), u.weights, u.average,
                              u.share};
  launch(*factor_kernels_, Kernel::average, {blocks_of_quads(u.size)}, kThreads, a);
}

void CudaDevice::swap(float* a, float* b, size_t count) {
  const SwapArguments arguments = {static_cast<int64_t>(count), all_aligned(0, a, b), a, b};
  launch(*factor_kernels_, Kernel::swap_buffers, {blocks_of_quads(count)}, kThreads, arguments);
}

Magnitude CudaDevice::measure(const float* values, std::span<const Interval> pieces) {
  std::vector<MeasuredPart> parts;
  for (const Interval piece : pieces) {
    for (size_t begin = piece.begin; begin < piece.end; begin += kMeasuredBlock) {
      const size_t end = std::min(begin + kMeasuredBlock, piece.end);
      parts.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(end), 0, 0});
    }
  }
  if (parts.empty()) return {};
  const size_t count = parts.size();
  parts.push_back({});  // for the sum
  auto* memory = static_cast<MeasuredPart*>(scratch(parts.size() * sizeof(MeasuredPart)));
  upload(memory, parts.data(), parts.size() * sizeof(MeasuredPart));
  const MeasureArguments a = {values, static_cast<int64_t>(count), memory};
  launch(*factor_kernels_, Kernel::measure_parts, {count}, kThreads, a);
  launch(*factor_kernels_, Kernel::add_measured, {1}, kThreads, a);
  MeasuredPart all = {};
  download(&all, memory + count, sizeof(all));
  return {all.squares, all.largest};
}

}  // namespace verbund::cuda
