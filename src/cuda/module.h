// SPDX-License-Identifier: Apache-2.0
// Module holds the compiled kernels of a GPU, by name. Compiling takes some ten seconds, so the result is kept in the
// user's cache folder.
#pragma once

#include <array>
#include <filesystem>

#include "cuda/compiler.h"
#include "cuda/context.h"
#include "cuda/kernels/list.h"

namespace verbund::cuda {

enum class Kernel : size_t {
#define VERBUND_NAME(name) name,
  VERBUND_CUDA_KERNELS(VERBUND_NAME)
#undef VERBUND_NAME
};
inline constexpr const char* kKernelNames[] = {
#define VERBUND_NAME(name) #name,
    VERBUND_CUDA_KERNELS(VERBUND_NAME)
#undef VERBUND_NAME
};
inline constexpr size_t kKernels = std::size(kKernelNames);

class Module {
 public:
  // `cache`: a folder, or empty to keep nothing. A file in it that is damaged is rebuilt.
  Module(Context& context, const CudaLibraries& libraries, int dtype, const std::filesystem::path& cache);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUfunction function(Kernel kernel) const { return functions_[static_cast<size_t>(kernel)]; }

 private:
  CUresult load(const std::string& cubin);

  Context& context_;
  CUmodule module_ = nullptr;
  std::array<CUfunction, kKernels> functions_ = {};
};

// A checksum of all that a cubin depends on.
std::string cubin_name(const CudaLibraries& libraries, const CompileTarget& target);

}  // namespace verbund::cuda
