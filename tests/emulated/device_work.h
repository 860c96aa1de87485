// SPDX-License-Identifier: Apache-2.0
// The interface of the emulated GPU for cuBLAS and NCCL: the owner of a stream and of an address, and a way to queue
// work on a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/driver_api.h"

// The functions that programs find by dlsym; all others of the library are hidden.
#define EMULATED_EXPORT extern "C" __attribute__((visibility("default")))

namespace emulated {

// Bytes of device memory that work reads or writes.
struct Range {
  const void* begin;
  size_t bytes;
  bool written;
};

struct Work {
  std::string name;               // what messages call it, e.g. the function's name
  std::function<void()> run;      // without the lock; device memory may be touched. An exception is the device's error.
  std::vector<Range> ranges;      // are checked when it runs: allocated, and by the race checker
  bool waits_for_others = false;  // for other ranks: other work of the device may run meanwhile
  bool counts_itself = false;     // its counters are set by what it runs
};

// Thrown by work: the error that the context has from then on.
struct Failure {
  verbund::cuda::CUresult error;
  std::string message;
};

// Of this thread, or nullptr; the context's error is returned too if it has one.
verbund::cuda::CUcontext current_context();
verbund::cuda::CUresult context_error(verbund::cuda::CUcontext context);
// Of a stream (nullptr: of this thread), or nullptr if it is not a stream.
verbund::cuda::CUcontext context_of(verbund::cuda::CUstream stream);
int device_of(verbund::cuda::CUcontext context);
// Whether all bytes lie in one allocation of the context's device.
bool in_device_memory(verbund::cuda::CUcontext context, const void* pointer, size_t bytes);

// Queues the work; it runs when somebody waits for it.
verbund::cuda::CUresult enqueue(verbund::cuda::CUstream stream, Work work);

}  // namespace emulated
