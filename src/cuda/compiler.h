// SPDX-License-Identifier: Apache-2.0
// compile_kernels compiles the kernels' source for a GPU by NVRTC.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/builtin_file.h"
#include "cuda/nvrtc_api.h"

namespace verbund::cuda {

// The files of src/cuda/kernels by their names, with endings; the one to compile is kernels.cu.
std::span<const BuiltinFile> kernel_sources();

struct CompileTarget {
  int architecture;  // 70 for sm_70
  int dtype;         // the compute dtype: 0 float, 1 bfloat16, 2 half
};
std::vector<std::string> compile_options(const CompileTarget& target);

struct Compiled {
  std::string cubin;
  std::string log;  // warnings
};
// Throws Error with the compiler's log.
Compiled compile_kernels(const Nvrtc& nvrtc, const CompileTarget& target);

}  // namespace verbund::cuda
