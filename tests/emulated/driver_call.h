// SPDX-License-Identifier: Apache-2.0
// The checks that every function of the emulated driver begins with: is there a driver, a context in this thread, an
// earlier error, and are the handles valid. Refusals are reported on stderr, with the real driver's error.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "emulated/gpu.h"
#include "emulated/messages.h"

namespace emulated {

// Declared as programs believe them to be: a definition that differs does not compile.
#define DECLARE(result, name, parameters) EMULATED_EXPORT result name parameters;
VERBUND_CUDA_DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE

template <typename... T>
CUresult refuse_call(CUresult error, fmt::format_string<T...> format, T&&... values) {
  say(format, std::forward<T>(values)...);
  return error;
}

// The device of this thread's context; the lock is held.
struct Call {
  Gpus& all;
  Device& device;
  std::unique_lock<std::mutex>& lock;
  const char* function;

  template <typename... T>
  CUresult refuse(CUresult error, fmt::format_string<T...> format, T&&... values) const {
    return refuse_call(error, "{}: {}", function, fmt::format(format, std::forward<T>(values)...));
  }
  // Replaces nullptr by the stream that it stands for.
  CUresult check(CUstream& stream) const {
    if (stream == nullptr) stream = device.legacy;
    if (!all.is_stream(stream)) return refuse(CUDA_ERROR_INVALID_HANDLE, "the stream does not exist");
    if (stream->device != &device) {
      return refuse(CUDA_ERROR_INVALID_HANDLE, "the stream is of device {}, the thread's context of device {}",
                    stream->device->number, device.number);
    }
    return CUDA_SUCCESS;
  }
  CUresult check(CUevent event) const {
    if (!all.events.contains(event)) return refuse(CUDA_ERROR_INVALID_HANDLE, "the event does not exist");
    return CUDA_SUCCESS;
  }
  // That device memory is there.
  CUresult check(CUdeviceptr pointer, size_t bytes) const {
    if (device.memory.contains(pointer, bytes)) return CUDA_SUCCESS;
    return refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes from {}", bytes,
                  device.memory.in_range(pointer)
                      ? device.memory.describe(pointer)
                      : fmt::format("{:#x}, which is not an address of device {}", pointer, device.number));
  }
};

template <typename Body>
CUresult in_context(const char* function, Body body) {
  Gpus* all = gpus();
  if (all == nullptr) return refuse_call(CUDA_ERROR_NOT_INITIALIZED, "{}: cuInit has not been called", function);
  const CUcontext context = current_context();
  if (context == nullptr) {
    return refuse_call(CUDA_ERROR_INVALID_CONTEXT, "{}: this thread has no context: call cuCtxSetCurrent first",
                       function);
  }
  std::unique_lock lock(all->mutex);
  if (context->device->error != CUDA_SUCCESS) return context->device->error;
  const CUresult result = body(Call{*all, *context->device, lock, function});
  return result;
}

void set_current_context(CUcontext context);

}  // namespace emulated
