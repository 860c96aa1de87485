#include "cuda/open_device.h"

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "core/log.h"
#include "core/user.h"
#include "cuda/cuda_device.h"
#include "cuda/find_gpu.h"
#include "cuda/missing.h"
#include "device/cpu_device.h"

namespace verbund {
namespace {

const char* name_of(Precision precision) { return kPrecisionNames[static_cast<size_t>(precision)]; }

// The one that is wished for, or fp32 where that is nobody's wish and cannot be had.
Precision settle_precision(const DeviceWish& wish, const std::string& trouble) {
  if (!wish.is_default || trouble.empty()) return wish.precision;
  log("the model was trained in {}, but {}: it is used in fp32", name_of(wish.precision), trouble);
  return Precision::kFp32;
}

std::unique_ptr<Device> open_cpu(const DeviceWish& wish) {
  const char* kernels = std::getenv("VERBUND_SIMD");
  const Kernels& table = choose_kernels(kernels != nullptr ? kernels : "");
  debug("kernels: {}, {}", table.name, kernels != nullptr ? "set by VERBUND_SIMD" : "the best that this CPU has");
  return std::make_unique<CpuDevice>(settle_precision(wish, CpuDevice::trouble_with(wish.precision)), table);
}

int gpu_of(const DeviceWish& wish, size_t gpus) {
  if (const std::optional<int> number = gpu_of_worker(wish.number, gpus)) return *number;
  fail_usage(
      "this host has {} GPU{}, but worker number {} on it was started: there is one GPU for each worker (-H "
      "HOST:{}), or take --set device=cpu",
      gpus, gpus == 1 ? "" : "s", wish.number + 1, gpus);
}

std::unique_ptr<Device> open_gpu(const DeviceWish& wish, std::shared_ptr<const cuda::CudaLibraries> libraries) {
  const int number = gpu_of(wish, libraries->architectures.size());
  const int architecture = libraries->architectures[static_cast<size_t>(number)];
  const Precision precision = settle_precision(wish, cuda::trouble_with(wish.precision, architecture));
  const std::string kind = kDeviceNames[static_cast<size_t>(
      wish.choice == DeviceChoice::kEmulated ? DeviceChoice::kEmulated : DeviceChoice::kCuda)];
  const std::optional<std::filesystem::path> cache = user_cache_folder();
  return std::make_unique<cuda::CudaDevice>(
      std::move(libraries),
      cuda::CudaDeviceOptions{kind, number, precision, cache ? *cache / "kernels" : std::filesystem::path()});
}

}  // namespace

std::unique_ptr<Device> open_device(const DeviceWish& wish) {
  if (wish.choice == DeviceChoice::kCpu) return open_cpu(wish);
  auto libraries = std::make_shared<const cuda::CudaLibraries>(cuda::load_cuda(search_for(wish.choice)));
  debug("device: {} GPUs, {}", libraries->architectures.size(), libraries->usable() ? "usable" : "not usable");
  if (libraries->usable()) return open_gpu(wish, std::move(libraries));
  const char* name = kDeviceNames[static_cast<size_t>(wish.choice)];
  if (wish.choice != DeviceChoice::kAuto) fail_usage("{}", cuda::missing_message(*libraries, name));
  // A machine with NVIDIA's driver has a GPU that somebody may want to be used.
  if (libraries->driver_state.usable()) {
    log("a GPU is here but cannot be used, the CPU computes: {}", cuda::missing_message(*libraries, "cuda"));
  }
  return open_cpu(wish);
}

int started_local_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

}  // namespace verbund
