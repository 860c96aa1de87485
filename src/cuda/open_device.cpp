// SPDX-License-Identifier: Apache-2.0
#include "cuda/open_device.h"

#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "core/log.h"
#include "core/user.h"
#include "cuda/cuda_device.h"
#include "cuda/libraries.h"
#include "device/cpu_device.h"

namespace verbund {
namespace {

const char* name_of(Precision precision) { return kPrecisionNames[static_cast<size_t>(precision)]; }

// The requested precision, or fp32 where the user did not choose one and the device lacks the default.
Precision settle_precision(const DeviceRequest& request, const std::string& trouble) {
  if (!request.is_default || trouble.empty()) return request.precision;
  log("precision: the model was trained in {}, but {}: using fp32", name_of(request.precision), trouble);
  return Precision::kFp32;
}

std::unique_ptr<Device> open_cpu(const DeviceRequest& request) {
  const char* kernels = std::getenv("VERBUND_SIMD");
  const Kernels& table = choose_kernels(kernels != nullptr ? kernels : "");
  debug("kernels: {}, {}", table.name, kernels != nullptr ? "set by VERBUND_SIMD" : "the best that this CPU has");
  return std::make_unique<CpuDevice>(settle_precision(request, CpuDevice::trouble_with(request.precision)), table);
}

int gpu_of(const DeviceRequest& request, size_t gpus) {
  if (const std::optional<int> number = gpu_of_worker(request.number, gpus)) return *number;
  fail_usage(
      "this host has {} GPU{}, but worker number {} was started on it: start one worker for each GPU (-H HOST:{}), or "
      "use --set device=cpu",
      gpus, gpus == 1 ? "" : "s", request.number + 1, gpus);
}

std::unique_ptr<Device> open_gpu(const DeviceRequest& request, std::shared_ptr<const cuda::CudaLibraries> libraries) {
  const int number = gpu_of(request, libraries->architectures.size());
  const int architecture = libraries->architectures[static_cast<size_t>(number)];
  const Precision precision = settle_precision(request, cuda::trouble_with(request.precision, architecture));
  const std::string kind = kDeviceNames[static_cast<size_t>(
      request.choice == DeviceChoice::kEmulated ? DeviceChoice::kEmulated : DeviceChoice::kCuda)];
  const std::optional<std::filesystem::path> cache = user_cache_folder();
  return std::make_unique<cuda::CudaDevice>(
      std::move(libraries),
      cuda::CudaDeviceOptions{kind, number, precision, cache ? *cache / "kernels" : std::filesystem::path()});
}

}  // namespace

std::unique_ptr<Device> open_device(const DeviceRequest& request) {
  if (request.choice == DeviceChoice::kCpu) return open_cpu(request);
  auto libraries = std::make_shared<const cuda::CudaLibraries>(cuda::load_cuda(search_for(request.choice)));
  debug("device: {} GPUs, {}", libraries->architectures.size(), libraries->usable() ? "usable" : "not usable");
  if (libraries->usable()) return open_gpu(request, std::move(libraries));
  const char* name = kDeviceNames[static_cast<size_t>(request.choice)];
  if (request.choice != DeviceChoice::kAuto) fail_usage("{}", cuda::missing_message(*libraries, name));
  // A machine with NVIDIA's driver has a GPU that the user may want to use.
  if (libraries->driver_state.usable()) {
    log("device: the GPU cannot be used, using the CPU: {}", cuda::missing_message(*libraries, "cuda"));
  }
  return open_cpu(request);
}

int started_local_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

// The tests' GPU is a folder of libraries beside the program.
cuda::Search search_for(DeviceChoice choice) {
  if (choice != DeviceChoice::kEmulated) return cuda::usual_search(cuda::SearchVariables::of_environment());
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "emulated";
  if (!std::filesystem::exists(folder)) {
    fail_usage("device emulated is for tests: this program was built without them ({} does not exist)",
               folder.string());
  }
  return cuda::search_only(folder);
}

// Slurm may show each task only its own GPU.
std::optional<int> gpu_of_worker(int local_rank, size_t gpus) {
  if (static_cast<size_t>(local_rank) < gpus) return local_rank;
  if (gpus == 1 && (std::getenv("SLURM_LOCALID") != nullptr || std::getenv("CUDA_VISIBLE_DEVICES") != nullptr))
    return 0;
  return std::nullopt;
}

}  // namespace verbund
