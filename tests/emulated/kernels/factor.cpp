// Compiles all kernels into the library, once per type of products' factors, each time in a namespace of its own.
#include "emulated/emulated_language.h"
#include "emulated/kernel.h"

#include EMULATED_KERNEL_LIST

#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)
#define OF_FACTOR JOIN(kernels_of_factor_, VERBUND_FACTOR)

namespace OF_FACTOR {
#include EMULATED_KERNELS
}  // namespace OF_FACTOR

namespace emulated {

#if VERBUND_FACTOR == 0
#ifdef EMULATED_CHECKED
extern const bool kChecked = true;
#else
extern const bool kChecked = false;
#endif
#endif

void JOIN(add_kernels_, VERBUND_FACTOR)() {
#define ADD(name) \
  add_kernel(#name, VERBUND_FACTOR, OF_FACTOR::name##_most_threads, &OF_FACTOR::name, &call_kernel<&OF_FACTOR::name>);
  VERBUND_CUDA_KERNELS(ADD)
#undef ADD
}

}  // namespace emulated
