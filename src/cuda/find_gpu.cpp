#include "cuda/find_gpu.h"

#include <cstdlib>
#include <filesystem>

#include "core/error.h"

namespace verbund {

// The tests' GPU is a folder of libraries beside the program.
cuda::Search search_for(DeviceChoice choice) {
  if (choice != DeviceChoice::kEmulated) return cuda::usual_search(cuda::SearchVariables::of_environment());
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "emulated";
  if (!std::filesystem::exists(folder)) {
    fail_usage("device emulated is for tests: this program was built without them ({} is not there)", folder.string());
  }
  return cuda::search_only(folder);
}

// Slurm may show each task its own GPU alone.
std::optional<int> gpu_of_worker(int local_rank, size_t gpus) {
  if (static_cast<size_t>(local_rank) < gpus) return local_rank;
  if (gpus == 1 && (std::getenv("SLURM_LOCALID") != nullptr || std::getenv("CUDA_VISIBLE_DEVICES") != nullptr))
    return 0;
  return std::nullopt;
}

}  // namespace verbund
