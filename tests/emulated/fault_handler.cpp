// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <memory>

#include "emulated/block_runner.h"
#include "emulated/gpu.h"
#include "emulated/messages.h"

namespace emulated {
namespace {

struct sigaction earlier_segv, earlier_bus;
thread_local uintptr_t fault_address;
thread_local bool fault_general;  // the processor gave no address: misaligned, or none that can exist

std::string describe(uintptr_t address) {
  Gpus* all = gpus();
  for (const auto& device : all->devices) {
    if (device->memory.in_range(address)) return device->memory.describe(address);
  }
  return {};
}

// Goes on in the place of the kernel's thread that touched the address.
void refuse_fault() {
  BlockRunner& runner = *BlockRunner::running();
  if (fault_general) {
    runner.refuse(CUDA_ERROR_MISALIGNED_ADDRESS, "a vector is loaded or stored at an address not aligned to it");
  }
  if (runner.on_guard_page(reinterpret_cast<void*>(fault_address))) {
    runner.refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "needs more than its stack of 128 KB");
  }
  std::string place = describe(fault_address);
  if (place.empty()) place = fmt::format("{:#x}, which is not an address of a device", fault_address);
  place.insert(0, "touches ");
  runner.refuse(CUDA_ERROR_ILLEGAL_ADDRESS, std::move(place));
}

void handle(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
#if defined(__x86_64__)
  if (BlockRunner* runner = BlockRunner::running()) {
    fault_address = address;
    fault_general = info->si_code == SI_KERNEL;
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    registers[REG_RIP] = reinterpret_cast<greg_t>(&refuse_fault);
    // A fresh part of the fiber's stack, as after a call; the kernel's own variables are given up.
    registers[REG_RSP] =
        static_cast<greg_t>((reinterpret_cast<uintptr_t>(runner->give_up_stack()) & ~uintptr_t{15}) - 8);
    return;
  }
#endif
  if (const std::string place = describe(address); !place.empty()) {
    say("the host touches device memory: {}. Copy it with cuMemcpyDtoHAsync first", place);
  }
  // The fault is whoever's it was before: a sanitizer's, or, done once more without us, the system's.
  const struct sigaction& earlier = signal == SIGSEGV ? earlier_segv : earlier_bus;
  if ((earlier.sa_flags & SA_SIGINFO) != 0)
    earlier.sa_sigaction(signal, info, context);
  else
    sigaction(signal, &earlier, nullptr);
}

}  // namespace

void install_fault_handler() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &earlier_segv);
  sigaction(SIGBUS, &action, &earlier_bus);
}

// A handler cannot run on a stack that has come to its end.
void give_signal_stack() {
  struct Stack {
    std::unique_ptr<char[]> memory = std::make_unique<char[]>(64 << 10);
    stack_t earlier{};
    Stack() {
      stack_t own{};
      own.ss_sp = memory.get();
      own.ss_size = 64 << 10;
      sigaltstack(&own, &earlier);
    }
    ~Stack() { sigaltstack(&earlier, nullptr); }
  };
  static thread_local Stack stack;
  (void)stack;
}

}  // namespace emulated
