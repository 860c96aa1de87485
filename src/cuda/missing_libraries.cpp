// SPDX-License-Identifier: Apache-2.0
// The messages about missing libraries.
#include <fmt/format.h>

#include <algorithm>

#include "cuda/libraries.h"

namespace verbund::cuda {
namespace {

constexpr const char* kOwnFolder = " (VERBUND_CUDA_PATH names a folder to look in first)";

// The CUDA version that supports all GPUs here: 13 begins with Turing, and a V100 is older; 12 knows only the first of
// Blackwell. 0: either, or unknown.
int wanted_toolkit(const std::vector<int>& architectures) {
  if (architectures.empty()) return 0;
  const auto [oldest, newest] = std::minmax_element(architectures.begin(), architectures.end());
  return *oldest < 75 ? 12 : *newest >= 100 ? 13 : 0;
}

std::string packages(const char* wheel12, const char* wheel13, const std::vector<int>& architectures) {
  switch (wanted_toolkit(architectures)) {
    case 12:
      return fmt::format(
          "CUDA 12's toolkit (a GPU here is older than sm_75, which CUDA 13 begins with) or the wheel {}", wheel12);
    case 13:
      return fmt::format("CUDA 13's toolkit or the wheel {}", wheel13);
    default:
      return fmt::format("CUDA's toolkit or a wheel: {} for V100 (sm_70) and newer GPUs, {} from Turing (sm_75) on",
                         wheel12, wheel13);
  }
}

std::string what_is_wrong(const LibraryState& state, const char* what, const std::string& searched) {
  if (state.found) return fmt::format("{}, {}, cannot be used: {}", state.name, what, state.why_not);
  return fmt::format("{}, {}, is not on this machine ({}; looked in {})", state.name, what, state.why_not, searched);
}

std::string advice(const std::string& device, const std::string& install) {
  if (device == "emulated") return "Build the emulated GPU (it belongs to the tests), or use --set device=cpu.";
  return fmt::format("{}, or use --set device=cpu.", install);
}

}  // namespace

std::string missing_message(const CudaLibraries& all, const std::string& device) {
  const auto message = [&](const LibraryState& state, const char* what, const std::string& install) {
    return fmt::format("device {}: {}. {}", device, what_is_wrong(state, what, all.searched), advice(device, install));
  };
  if (!all.driver_state.usable()) {
    return message(all.driver_state, "NVIDIA's driver",
                   all.driver_state.found ? "Check nvidia-smi" : "Install the driver");
  }
  if (!all.nvrtc_state.usable()) {
    return message(
        all.nvrtc_state, "CUDA's compiler at run time",
        "Install " + packages("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc", all.architectures) + kOwnFolder);
  }
  if (!all.cublas_state.usable()) {
    return message(all.cublas_state, "CUDA's matrix multiplication",
                   "Install " + packages("nvidia-cublas-cu12", "nvidia-cublas", all.architectures) + kOwnFolder);
  }
  return "";
}

std::string missing_nccl_message(const CudaLibraries& all, const std::string& device) {
  if (all.nccl_state.usable()) return "";
  const std::string install =
      "Install NCCL (Debian's and NVIDIA's package libnccl2, or the wheel nvidia-nccl-cu12, "
      "nvidia-nccl-cu13)";
  return fmt::format("device {}: {}. {}", device,
                     what_is_wrong(all.nccl_state, "which sums gradients between GPUs", all.searched),
                     device == "emulated" ? advice(device, "") : install + ", or use workers.transport=mpi.");
}

}  // namespace verbund::cuda
