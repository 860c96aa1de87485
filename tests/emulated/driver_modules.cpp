// SPDX-License-Identifier: Apache-2.0
// Modules, functions and launches of the emulated driver.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emulated/block_runner.h"
#include "emulated/counters.h"
#include "emulated/driver_call.h"
#include "emulated/image.h"
#include "emulated/settings.h"

namespace emulated {
namespace {

CUresult check_size(const Call& call, const char* what, dim3 size, dim3 most) {
  if (size.x == 0 || size.y == 0 || size.z == 0 || size.x > most.x || size.y > most.y || size.z > most.z) {
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "{} of {} x {} x {}: from 1 to {} x {} x {} are possible", what,
                       size.x, size.y, size.z, most.x, most.y, most.z);
  }
  return CUDA_SUCCESS;
}

void run_launch(const Launch& launch, Order order, uint64_t seed) {
  operations = 0;
  auto refusal = BlockRunner::here().run(launch, order, seed);
  if (refusal) throw Failure{refusal->error, std::move(refusal->message)};
  const uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  count(launch.kernel->name, {.launches = 1,
                              .blocks = blocks,
                              .threads = blocks * launch.block.x * launch.block.y * launch.block.z,
                              .operations = operations,
                              .shared_bytes = launch.kernel->shared_bytes});
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return in_context("cuModuleLoadData", [&](const Call& call) {
    if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto parsed = parse_image(static_cast<const char*>(image));
    if (!parsed) return call.refuse(CUDA_ERROR_INVALID_IMAGE, "this is not an image of the emulated compiler");
    if (parsed->architecture != settings().architecture) {
      return call.refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, "the image is for sm_{}, the device is sm_{}",
                         parsed->architecture, settings().architecture);
    }
    *module = new CUmod_st{&call.device, parsed->dtype};
    call.all.modules.insert(*module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return in_context("cuModuleUnload", [&](const Call& call) {
    if (!call.all.modules.contains(module)) return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the module does not exist");
    std::erase_if(call.all.functions, [&](CUfunction function) {
      const bool own = function->module == module;
      if (own) delete function;
      return own;
    });
    call.all.modules.erase(module);
    delete module;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context("cuModuleGetFunction", [&](const Call& call) {
    if (!call.all.modules.contains(module)) return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the module does not exist");
    if (function == nullptr || name == nullptr || *name == 0) return CUDA_ERROR_INVALID_VALUE;
    Kernel* kernel = find_kernel(name, module->dtype);
    if (kernel == nullptr) return call.refuse(CUDA_ERROR_NOT_FOUND, "there is no kernel {}", name);
    *function = new CUfunc_st{module, kernel};
    call.all.functions.insert(*function);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context("cuFuncGetAttribute", [&](const Call& call) {
    if (!call.all.functions.contains(function)) return CUDA_ERROR_INVALID_HANDLE;
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = static_cast<int>(function->kernel->max_threads);
        break;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(function->kernel->shared_bytes);
        break;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        break;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = settings().architecture;
        break;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = kSharedLimit;
        break;
      default:
        *value = 0;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context("cuFuncSetAttribute", [&](const Call& call) {
    if (!call.all.functions.contains(function)) return CUDA_ERROR_INVALID_HANDLE;
    const bool known = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
                       attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    if (!known || value < -1 || value > 96 << 10) {
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "attribute {} = {}", static_cast<int>(attribute), value);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  return in_context("cuLaunchKernel", [&](const Call& call) {
    if (!call.all.functions.contains(function)) {
      return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the function does not exist");
    }
    Kernel& kernel = *function->kernel;
    const Call named{call.all, call.device, call.lock, kernel.name.c_str()};
    if (const CUresult error = named.check(stream); error != CUDA_SUCCESS) return error;
    if (function->module->device != &call.device) {
      return named.refuse(CUDA_ERROR_INVALID_HANDLE,
                          "the function was loaded for device {}, the context is device {}'s",
                          function->module->device->number, call.device.number);
    }
    const dim3 grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    if (const CUresult error = check_size(named, "a grid", grid, {0x7FFFFFFF, 65535, 65535}); error != CUDA_SUCCESS) {
      return error;
    }
    if (const CUresult error = check_size(named, "a block", block, {1024, 1024, 64}); error != CUDA_SUCCESS) {
      return error;
    }
    if (uint64_t{block.x} * block.y * block.z > kernel.max_threads) {
      return named.refuse(CUDA_ERROR_INVALID_VALUE, "a block of {} x {} x {} threads: at most {}, by its launch bounds",
                          block.x, block.y, block.z, kernel.max_threads);
    }
    if (shared_bytes + kernel.shared_bytes > kSharedLimit) {
      return named.refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes of shared memory and {} at the launch: a block has {}",
                          kernel.shared_bytes.load(), shared_bytes, kSharedLimit);
    }
    if (extra != nullptr || (parameters == nullptr && kernel.parameters > 0)) {
      return named.refuse(CUDA_ERROR_INVALID_VALUE, "{} arguments are needed, as pointers", kernel.parameters);
    }
    for (size_t i = 0; i < kernel.parameters; ++i) {
      if (parameters[i] == nullptr) return named.refuse(CUDA_ERROR_INVALID_VALUE, "argument {} is null", i);
    }
    auto launch = std::make_shared<Launch>(Launch{&kernel, grid, block, std::make_unique<std::byte[]>(kernel.storage)});
    kernel.copy(parameters, launch->arguments.get());
    static std::atomic<uint64_t> launches = 0;
    const uint64_t seed = settings().seed * 1000003 + ++launches;
    call.all.enqueue(stream, {.name = kernel.name,
                              .run = [launch, seed] { run_launch(*launch, settings().order, seed); },
                              .counts_itself = true});
    return CUDA_SUCCESS;
  });
}

}  // namespace emulated
