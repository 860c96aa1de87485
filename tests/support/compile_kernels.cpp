// SPDX-License-Identifier: Apache-2.0
// compile_kernels FOLDER                      the architectures that the NVRTC in that folder knows
// compile_kernels FOLDER ARCH FACTOR CUBIN    compiles the program's kernels with it
//
// What the compiler says goes to stdout. No GPU is needed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "core/error.h"
#include "core/file.h"
#include "cuda/compiler.h"
#include "cuda/libraries.h"

int main(int argc, char** argv) {
  using namespace verbund;
  try {
    if (argc != 2 && argc != 5) fail_usage("usage: compile_kernels FOLDER [ARCH FACTOR CUBIN]");
    const cuda::CudaLibraries libraries = cuda::load_cuda(cuda::search_only(argv[1]));
    if (!libraries.nvrtc_state.usable()) fail("{}: {}", argv[1], libraries.nvrtc_state.why_not);
    if (argc == 2) {
      fmt::print("NVRTC {}\n{}\n", libraries.nvrtc_state.version,
                 fmt::join(cuda::known_architectures(libraries.nvrtc), " "));
      return 0;
    }
    const cuda::Compiled compiled = cuda::compile_kernels(libraries.nvrtc, {std::atoi(argv[2]), std::atoi(argv[3])});
    write_file(argv[4], compiled.cubin);
    fmt::print("{}\n", compiled.log);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
