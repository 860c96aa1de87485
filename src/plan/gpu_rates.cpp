#include "plan/gpu_rates.h"

#include <fmt/ranges.h>

#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

// The shares of bench/gpu_forecast.py. Large products of cuBLAS reach more of the ordinary cores than of the tensor
// cores, which wait for memory.
constexpr double kOfTensorCores = 0.7, kOfCores = 0.85;
constexpr double kOfCoresInAttention = 0.35;  // its operands come from shared memory, half as fast as they are used
constexpr double kOfBandwidth = 0.85;

// Dense, without sparsity; operations and bytes a second. tf32 is 0 where there is none, and so is bf16.
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
  fail_usage("--gpu {} is not known{}: known are {}. Of another one, give --tokens-per-second of one worker.", name,
             guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess), fmt::join(known_gpus(), ", "));
}

double peak(const Gpu& gpu, Precision precision) {
  const double peaks[] = {gpu.fp32, gpu.tf32, gpu.bf16, gpu.fp16};
  return peaks[static_cast<size_t>(precision)];
}

}  // namespace

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
  rates.products = (precision == Precision::kFp32 ? kOfCores : kOfTensorCores) * peak(gpu, precision);
  rates.attention = kOfCoresInAttention * gpu.fp32;
  rates.bytes = rates.update_bytes = kOfBandwidth * gpu.bandwidth;
  rates.half = precision == Precision::kBf16 || precision == Precision::kFp16;
  rates.gpu = true;
  rates.source = fmt::format("data sheet of the {} in {}, products at {:.0f} TFLOP/s", gpu.full_name, precision_name,
                             rates.products / 1e12);
  rates.named = true;
  return rates;
}

Precision fastest_precision(const std::string& gpu) { return find(gpu).bf16 > 0 ? Precision::kBf16 : Precision::kFp16; }

}  // namespace verbund
