// SPDX-License-Identifier: Apache-2.0
// Compiles all kernels into the library, once per compute dtype, each time in a namespace of its own.
#include "emulated/emulated_language.h"
#include "emulated/kernel.h"

#include EMULATED_KERNEL_LIST

#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)
#define OF_DTYPE JOIN(kernels_of_dtype_, VERBUND_COMPUTE_DTYPE)

namespace OF_DTYPE {
#include EMULATED_KERNELS
}  // namespace OF_DTYPE

namespace emulated {

#if VERBUND_COMPUTE_DTYPE == 0
#ifdef EMULATED_CHECKED
extern const bool kChecked = true;
#else
extern const bool kChecked = false;
#endif
#endif

void JOIN(add_kernels_, VERBUND_COMPUTE_DTYPE)() {
#define ADD(name)                                                                          \
  add_kernel(#name, VERBUND_COMPUTE_DTYPE, OF_DTYPE::name##_most_threads, &OF_DTYPE::name, \
             &call_kernel<&OF_DTYPE::name>);
  VERBUND_CUDA_KERNELS(ADD)
#undef ADD
}

}  // namespace emulated
