// SPDX-License-Identifier: Apache-2.0
#include "cuda/module.h"

#include <unistd.h>

#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/log.h"

namespace verbund::cuda {
namespace {

constexpr size_t kChecksumSize = 32;

// A kept cubin: its checksum, then itself. Nothing if there is none, or it is damaged.
std::optional<std::string> read_kept(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return std::nullopt;
  try {
    const std::string bytes = read_file(path);
    if (bytes.size() <= kChecksumSize) return std::nullopt;
    std::string cubin = bytes.substr(kChecksumSize);
    if (checksum_of(cubin) != bytes.substr(0, kChecksumSize)) return std::nullopt;
    return cubin;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void keep(const fs::path& path, const std::string& cubin) {
  try {
    make_folder(path.parent_path());
    // The workers of a host begin at once: each writes a file of its own, and the last one's stays.
    const fs::path own = fmt::format("{}.{}", path.string(), ::getpid());
    write_file(own, checksum_of(cubin) + cubin);
    fs::rename(own, path);
  } catch (const std::exception& error) {
    warn("the compiled kernels cannot be kept, so that the next start compiles them again: {}", error.what());
  }
}

}  // namespace

std::string cubin_name(const CudaLibraries& libraries, const CompileTarget& target) {
  Checksum checksum;
  const auto add = [&](std::string_view text) {
    checksum.add(fmt::format("{}\n", text.size()));
    checksum.add(text);
  };
  for (const BuiltinFile& file : kernel_sources()) {
    add(file.name);
    add(file.text);
  }
  for (const std::string& option : compile_options(target)) add(option);
  add(libraries.nvrtc_state.version);
  add(libraries.nvrtc_state.path.string());
  return fmt::format("kernels-sm{}-{}.cubin", target.architecture, checksum.digest());
}

Module::Module(Context& context, const CudaLibraries& libraries, int dtype, const fs::path& cache) : context_(context) {
  const int major = context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int device = 10 * major + context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const CompileTarget target = {compile_architecture(known_architectures(libraries.nvrtc), device), dtype};
  if (target.architecture == 0) {
    fail("NVRTC {} compiles for no GPU like {}, which is sm_{}: install one of CUDA {}", libraries.nvrtc_state.version,
         context.name(), device, device < 75 ? "12" : "13");
  }
  const fs::path kept = cache.empty() ? fs::path() : cache / cubin_name(libraries, target);
  bool loaded = false;
  if (!kept.empty()) {
    if (const auto cubin = read_kept(kept)) loaded = load(*cubin) == CUDA_SUCCESS;
  }
  if (!loaded) {
    log("compiling the kernels for {} (sm_{}): this is done once, and kept", context.name(), target.architecture);
    const Compiled compiled = compile_kernels(libraries.nvrtc, target);
    context_.check(load(compiled.cubin), "cuModuleLoadData");
    if (!kept.empty()) keep(kept, compiled.cubin);
  }
  for (size_t i = 0; i < kKernels; ++i) {
    context_.check(context_.driver().cuModuleGetFunction(&functions_[i], module_, kKernelNames[i]), kKernelNames[i]);
  }
}

Module::~Module() {
  if (module_ != nullptr) context_.driver().cuModuleUnload(module_);
}

CUresult Module::load(const std::string& cubin) { return context_.driver().cuModuleLoadData(&module_, cubin.c_str()); }

}  // namespace verbund::cuda
