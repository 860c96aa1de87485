// SPDX-License-Identifier: Apache-2.0
#include "plan/compute_rates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

// The same shares as in bench/gpu_forecast.py. Large GEMMs of cuBLAS reach a larger share of the peak on ordinary cores
// than on tensor cores, which wait for memory.
constexpr double kOfTensorCores = 0.7, kOfCores = 0.85;
constexpr double kOfCoresInAttention = 0.35;  // limited by shared memory
constexpr double kOfBandwidth = 0.85;

// Dense peaks, without sparsity, in operations and bytes per second; 0: not supported.
struct Gpu {
  const char* name;
  const char* full_name;
  double bandwidth, fp32, tf32, bf16, fp16;
};
constexpr Gpu kGpus[] = {
    {"v100", "V100 SXM2", 900e9, 15.7e12, 0, 0, 125e12},                    // "Tesla V100" data sheet
    {"a100", "A100 SXM 80 GB", 2039e9, 19.5e12, 156e12, 312e12, 312e12},    // "A100 80GB" data sheet
    {"h100", "H100 SXM", 3350e9, 67e12, 494.7e12, 989e12, 989e12},          // "H100" data sheet
    {"rtx4090", "RTX 4090", 1008e9, 82.6e12, 82.6e12, 165.2e12, 165.2e12},  // "Ada GPU architecture" white paper
};

const Gpu& find(const std::string& name) {
  for (const Gpu& gpu : kGpus) {
    if (name == gpu.name) return gpu;
  }
  const std::string guess = nearest(name, known_gpus());
  fail_usage("--gpu {} is not known{}: known are {}. For another GPU, give --tokens-per-second of one worker.", name,
             guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess), fmt::join(known_gpus(), ", "));
}

double peak(const Gpu& gpu, Precision precision) {
  const double peaks[] = {gpu.fp32, gpu.tf32, gpu.bf16, gpu.fp16};
  return peaks[static_cast<size_t>(precision)];
}

}  // namespace

double seconds_of(const WorkStage& stage, const ComputeRates& rates) {
  return stage.gemm / rates.gemm + stage.attention / rates.attention +
         (rates.half ? stage.half_bytes : stage.bytes) / rates.bytes;
}

double seconds_of(const std::vector<WorkStage>& stages, const ComputeRates& rates) {
  double seconds = 0;
  for (const WorkStage& stage : stages) seconds += seconds_of(stage, rates);
  return seconds;
}

ComputeRates rates_of_cpu(const std::vector<WorkStage>& stages, double seconds, double weights, double update_seconds) {
  double work = 0;
  for (const WorkStage& stage : stages) work += stage.gemm + stage.attention / kAttentionShareOnCpu;
  ComputeRates rates;
  rates.gemm = work / seconds;
  rates.attention = kAttentionShareOnCpu * rates.gemm;
  rates.update_bytes = kUpdateBytesPerWeight * weights / std::max(1e-9, update_seconds);
  return rates;
}

std::vector<std::string> known_gpus() {
  std::vector<std::string> names;
  for (const Gpu& gpu : kGpus) names.emplace_back(gpu.name);
  return names;
}

ComputeRates rates_of_gpu(const std::string& name, Precision precision) {
  const Gpu& gpu = find(name);
  const char* const precision_name = kPrecisionNames[static_cast<size_t>(precision)];
  if (peak(gpu, precision) == 0) {
    fail_usage("a {} has no {}: set train.precision={} or fp32", gpu.full_name, precision_name,
               kPrecisionNames[static_cast<size_t>(fastest_precision(name))]);
  }
  ComputeRates rates;
  rates.gemm = (precision == Precision::kFp32 ? kOfCores : kOfTensorCores) * peak(gpu, precision);
  rates.attention = kOfCoresInAttention * gpu.fp32;
  rates.bytes = rates.update_bytes = kOfBandwidth * gpu.bandwidth;
  rates.half = precision == Precision::kBf16 || precision == Precision::kFp16;
  rates.gpu = true;
  rates.source = fmt::format("data sheet of the {} in {}, GEMM at {:.0f} TFLOP/s", gpu.full_name, precision_name,
                             rates.gemm / 1e12);
  rates.named = true;
  return rates;
}

Precision fastest_precision(const std::string& gpu) { return find(gpu).bf16 > 0 ? Precision::kBf16 : Precision::kFp16; }

ComputeRates rates_of_throughput(double tokens_per_second, const Config& config, BatchSource& batches, int workers) {
  const BatchFacts facts = batches.facts(config, workers);
  const VocabularySizes sizes = batches.vocabularies();
  const double seconds = facts.worker.target / tokens_per_second;
  const auto weights = static_cast<double>(ParameterTable(config.model, sizes).count());
  const double update = std::min(kUpdateBytesPerWeight * weights / kHostMemory, seconds / 2);
  const auto stages = work_stages(config.model, sizes, facts.worker);
  ComputeRates rates = rates_of_cpu(stages, seconds - update, weights, update);
  rates.threads = std::max(1, static_cast<int>(config.threads));
  rates.source = fmt::format("given: {:g} target tokens/s of one worker", tokens_per_second);
  rates.named = true;
  return rates;
}

}  // namespace verbund
