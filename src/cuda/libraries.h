// Loads NVIDIA's libraries when a GPU is asked for: of each, the first that is found and fits the GPUs of this machine,
// or why there is none.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/cublas_api.h"
#include "cuda/driver_api.h"
#include "cuda/nccl_api.h"
#include "cuda/nvrtc_api.h"
#include "cuda/search.h"

namespace verbund::cuda {

// One library as it was found, or not.
struct LibraryState {
  std::string name;                          // what it is called in messages: "libcuda.so.1", "libnvrtc"
  std::filesystem::path path;                // of the one that was taken
  std::string version;                       // "13.0"
  bool found = false;                        // there is a file; it may still be of no use
  std::string why_not = "never looked for";  // "": it can be used

  bool usable() const { return why_not.empty(); }
};

// Tables are filled only where the state is usable. The driver has been initialised then, and has a GPU.
struct CudaLibraries {
  Driver driver;
  Nvrtc nvrtc;
  Cublas cublas;
  std::optional<Nccl> nccl;  // one GPU alone does without
  LibraryState driver_state, nvrtc_state, cublas_state, nccl_state;
  std::vector<int> architectures;  // of each GPU: 70 for sm_70
  std::string searched;            // where, for messages

  bool usable() const { return driver_state.usable() && nvrtc_state.usable() && cublas_state.usable(); }
};

// Never throws for want of a library: the states say what is missing, and missing.h what to do about it.
CudaLibraries load_cuda(const Search& search);

// The architecture to compile for, of those that a compiler knows: a GPU runs code that was made for itself or for an
// older one of its own generation (sm_86 runs sm_80's, not sm_75's). 0: there is none.
int compile_architecture(std::span<const int> known, int device);
std::vector<int> known_architectures(const Nvrtc& nvrtc);

}  // namespace verbund::cuda
