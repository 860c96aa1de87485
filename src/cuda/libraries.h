// SPDX-License-Identifier: Apache-2.0
// CudaLibraries are NVIDIA's libraries, loaded when a GPU is requested: of each, the first that is found and fits the
// GPUs of this machine, or the reason why there is none.
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

// The result of the search for one library.
struct LibraryState {
  std::string name;                          // what it is called in messages: "libcuda.so.1", "libnvrtc"
  std::filesystem::path path;                // of the one that was loaded
  std::string version;                       // "13.0"
  bool found = false;                        // there is a file; it may still be unusable
  std::string why_not = "not searched for";  // "": it is usable

  bool usable() const { return why_not.empty(); }
};

// Tables are filled only where the state is usable. The driver has been initialised then, and has a GPU.
struct CudaLibraries {
  Driver driver;
  Nvrtc nvrtc;
  Cublas cublas;
  std::optional<Nccl> nccl;  // one GPU alone does not need it
  LibraryState driver_state, nvrtc_state, cublas_state, nccl_state;
  std::vector<int> architectures;  // of each GPU: 70 for sm_70
  std::string searched;            // where, for messages

  bool usable() const { return driver_state.usable() && nvrtc_state.usable() && cublas_state.usable(); }
};

// Never throws if a library is missing: the states tell which.
CudaLibraries load_cuda(const Search& search);

// The architecture to compile for, of those that a compiler knows: a GPU runs code for its own architecture or for an
// older one of its generation (sm_86 runs code for sm_80, not for sm_75). 0: there is none.
int compile_architecture(std::span<const int> known, int device);
std::vector<int> known_architectures(const Nvrtc& nvrtc);

// The message to a user whose machine cannot train on a GPU: which library is missing or does not fit, and what to
// install. "" if training on one GPU can begin. `device` is the user's word for it: "cuda" or "emulated".
std::string missing_message(const CudaLibraries& libraries, const std::string& device = "cuda");

// The same of NCCL, which several GPUs need. "" if there is one.
std::string missing_nccl_message(const CudaLibraries& libraries, const std::string& device = "cuda");

}  // namespace verbund::cuda
