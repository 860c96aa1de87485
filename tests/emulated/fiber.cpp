// SPDX-License-Identifier: Apache-2.0
#include "emulated/fiber.h"

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
// Saves what a callee must keep on the stack that is left, and takes the same from the other.
extern "C" void emulated_switch_stack(void** left, void* other);
asm(R"(
.text
.hidden emulated_switch_stack
.globl emulated_switch_stack
.type emulated_switch_stack,@function
emulated_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulated_switch_stack,.-emulated_switch_stack
)");
#endif

namespace emulated {

void Fiber::prepare(char* stack, size_t bytes, void (*entry)()) {
  bottom_ = stack;
  bytes_ = bytes;
  prepared_ = true;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack, bytes);  // variables of what was given up
#endif
#if defined(__x86_64__)
  auto** top = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(stack + bytes) & ~uintptr_t{15});
  *--top = nullptr;  // entry must find its stack as after a call: 8 bytes off a multiple of 16
  *--top = reinterpret_cast<void*>(entry);
  for (int kept = 0; kept < 6; ++kept) *--top = nullptr;
  stack_pointer_ = top;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
#endif
}

char* Fiber::give_up_frames() const {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom_, bytes_);
#endif
  return bottom_ + bytes_;
}

void Fiber::change(Fiber& from, Fiber& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.bytes_);
#endif
#if defined(__x86_64__)
  emulated_switch_stack(&from.stack_pointer_, to.stack_pointer_);
#else
  swapcontext(&from.context_, &to.context_);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::entered([[maybe_unused]] Fiber& from) {
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
  if (from.bottom_ == nullptr) {  // the system's stack, whose bounds are known only now
    from.bottom_ = static_cast<char*>(const_cast<void*>(bottom));
    from.bytes_ = bytes;
  }
#endif
}

}  // namespace emulated
