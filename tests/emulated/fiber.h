// SPDX-License-Identifier: Apache-2.0
// Fiber is a stack of its own and a way to switch to it: a thread of an emulated block runs on one. Some 5 ns a switch
// where the switch is written by hand (x86-64); ucontext elsewhere.
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulated {

class Fiber {
 public:
  // A fiber for what runs on the system's own stack already.
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Gives it a stack, at first or after what ran on it was given up, on which the next switch calls `entry`.
  void prepare(char* stack, size_t bytes, void (*entry)());

  bool prepared() const { return prepared_; }
  // What runs on the stack will never be gone on with.
  void abandon() { prepared_ = false; }
  // The same from within, while it runs: where a stack may start again.
  char* give_up_frames() const;

  // Leaves `from`, which is running, and goes on where `to` was left.
  static void change(Fiber& from, Fiber& to);
  // To be called first in `entry`: who switched here.
  static void entered(Fiber& from);

 private:
  char* bottom_ = nullptr;
  size_t bytes_ = 0;
  bool prepared_ = false;
  void* fake_stack_ = nullptr;  // of the address sanitizer
#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_;
#endif
};

}  // namespace emulated
