// SPDX-License-Identifier: Apache-2.0
#include "cuda/compiler.h"

#include <fmt/ranges.h>

#include <vector>

#include "core/error.h"

namespace verbund {

std::span<const BuiltinFile> builtin_kernels();  // made by cmake/builtin_files.cmake

namespace cuda {
namespace {

// One translation; what NVRTC keeps of it goes with this.
class Program {
 public:
  Program(const Nvrtc& nvrtc, std::span<const BuiltinFile> files) : nvrtc_(nvrtc) {
    std::vector<std::string> names, texts;
    std::string root;
    for (const BuiltinFile& file : files) {
      if (file.name == "kernels.cu") {
        root = file.text;
      } else {
        names.emplace_back(file.name);
        texts.emplace_back(file.text);
      }
    }
    std::vector<const char*> name_pointers, text_pointers;
    for (const std::string& name : names) name_pointers.push_back(name.c_str());
    for (const std::string& text : texts) text_pointers.push_back(text.c_str());
    check(nvrtc_.nvrtcCreateProgram(&program_, root.c_str(), "kernels.cu", static_cast<int>(names.size()),
                                    text_pointers.data(), name_pointers.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { nvrtc_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcProgram get() const { return program_; }
  void check(nvrtcResult result, const char* call) const {
    if (result != NVRTC_SUCCESS) fail("{} says {}", call, nvrtc_.nvrtcGetErrorString(result));
  }
  std::string log() const {
    size_t size = 0;
    check(nvrtc_.nvrtcGetProgramLogSize(program_, &size), "nvrtcGetProgramLogSize");
    std::string log(size, '\0');
    if (size > 0) check(nvrtc_.nvrtcGetProgramLog(program_, log.data()), "nvrtcGetProgramLog");
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }

 private:
  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

std::span<const BuiltinFile> kernel_sources() { return builtin_kernels(); }

std::vector<std::string> compile_options(const CompileTarget& target) {
  return {fmt::format("--gpu-architecture=sm_{}", target.architecture),
          fmt::format("-DVERBUND_COMPUTE_DTYPE={}", target.dtype), "--std=c++17"};
}

Compiled compile_kernels(const Nvrtc& nvrtc, const CompileTarget& target) {
  const Program program(nvrtc, kernel_sources());
  const std::vector<std::string> options = compile_options(target);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult result =
      nvrtc.nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  Compiled compiled;
  compiled.log = program.log();
  if (result != NVRTC_SUCCESS) {
    fail("NVRTC cannot compile the kernels with {}: {}\n{}", fmt::join(options, " "), nvrtc.nvrtcGetErrorString(result),
         compiled.log);
  }
  size_t size = 0;
  program.check(nvrtc.nvrtcGetCUBINSize(program.get(), &size), "nvrtcGetCUBINSize");
  compiled.cubin.resize(size);
  program.check(nvrtc.nvrtcGetCUBIN(program.get(), compiled.cubin.data()), "nvrtcGetCUBIN");
  return compiled;
}

}  // namespace cuda
}  // namespace verbund
