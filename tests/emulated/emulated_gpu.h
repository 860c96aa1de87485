// SPDX-License-Identifier: Apache-2.0
// The functions by which tests control the emulated GPU: they look them up with dlsym in the library that was loaded as
// the driver.
#pragma once

// X(result, name, (parameters))
#define EMULATED_GPU_FUNCTIONS(X)                                                                \
  /* forward, backward, random:SEED: of threads, blocks and streams. 0 if it is none of them. */ \
  X(int, emulated_gpu_set_order, (const char* order))                                            \
  /* 1 if kernels are compiled with the race checker. */                                         \
  X(int, emulated_gpu_checked, ())                                                               \
  X(unsigned long long, emulated_gpu_races, ())                                                  \
  /* What was said since the last call. Both texts stay valid until this thread's next call. */  \
  X(const char*, emulated_gpu_take_messages, ())                                                 \
  X(const char*, emulated_gpu_counters, ())                                                      \
  /* Sets counters, races and messages back; what programs have made stays. */                   \
  X(void, emulated_gpu_reset, ())

namespace emulated {

struct ControlFunctions {
#define MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  EMULATED_GPU_FUNCTIONS(MEMBER)
#undef MEMBER
};

}  // namespace emulated
