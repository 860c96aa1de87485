// SPDX-License-Identifier: Apache-2.0
// BlockRunner runs the blocks of one launch, one after another, each thread of a block as a fiber. A thread runs until
// it waits: at a barrier, or for the lanes of its warp; then the next that can run goes on, in the order of the
// settings. Threads that never wait share one fiber and cost a function call each.
//
// What a GPU would leave undefined is refused: the launch ends with a message that names kernel, block and thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/driver_api.h"
#include "emulated/emulated_language.h"
#include "emulated/fiber.h"
#include "emulated/kernel.h"
#include "emulated/settings.h"

namespace emulated {

struct Launch {
  Kernel* kernel;
  dim3 grid, block;
  std::unique_ptr<std::byte[]> arguments;
};

struct Refusal {
  verbund::cuda::CUresult error;
  std::string message;
};

class BlockRunner {
 public:
  static constexpr unsigned kMaxThreads = 1024, kWarps = kMaxThreads / 32;

  BlockRunner();
  ~BlockRunner();

  // The runner of this thread of the system, made at its first launch.
  static BlockRunner& here();
  // Of the launch that this thread of the system is in the midst of, or nullptr.
  static BlockRunner* running() { return running_; }

  std::optional<Refusal> run(const Launch& launch, Order order, uint64_t seed);

  // For the functions of emulated_language.h, called by the thread that runs.
  void barrier(const char* file, int line);
  uint64_t exchange(unsigned mask, uint64_t value, int source, const char* file, int line);
  uint64_t ballot(unsigned mask, bool value, const char* file, int line);
  void warp_barrier(unsigned mask, const char* file, int line);
  void* shared_memory(SharedSite& site, size_t bytes, size_t alignment);
  [[noreturn]] void refuse(verbund::cuda::CUresult error, std::string message);

  // "kernel softmax, block (3, 0, 0), thread (17, 0, 0)"
  std::string place() const { return place_of(me_); }
  const Kernel& kernel() const { return *launch_->kernel; }
  // Where a signal's handler may go on that gives the running fiber up.
  char* give_up_stack() const { return fibers_[fiber_].give_up_frames(); }
  bool on_guard_page(const void* address) const;
  // Whether the address is of what a thread has by itself: its stack, arguments and constants.
  bool owns(const void* address) const;

 private:
  // What a lane waits for.
  struct Wait {
    unsigned mask;
    int source;
    uint64_t value, result;
    const char* file;
    int line;
    enum Kind { kExchange, kBallot, kBarrier } kind;
  };

  static void fiber_main();
  std::string place_of(unsigned thread) const;
  bool next_block();
  void begin_block();
  void enter(unsigned thread);
  void finish();
  void suspend(unsigned next);
  int take_next();
  unsigned choose(unsigned candidates);
  void wait_for_warp(const Wait& wait);
  void complete_exchange(unsigned warp, unsigned mask);
  void begin_thread(unsigned thread);
  void change_to(unsigned fiber);
  unsigned take_fiber();
  [[noreturn]] void refuse_stuck();
  uint64_t random();

  static constinit thread_local BlockRunner* running_;

  // The launch.
  const Launch* launch_ = nullptr;
  Order order_ = Order::kForward;
  uint64_t random_ = 1;
  uint64_t blocks_ = 0, block_ = 0, first_block_ = 0, block_step_ = 1;
  unsigned threads_ = 0, warps_ = 0;
  std::optional<Refusal> refusal_;
  std::vector<uint3> indices_;  // [threads]

  // The block: masks of lanes per warp, and of warps.
  std::array<unsigned, kWarps> existing_{}, unstarted_{}, runnable_{}, at_barrier_{}, exchanging_{}, ended_{};
  std::array<unsigned, kWarps> warp_epoch_{};  // warp-wide barriers passed, for the race checker
  unsigned runnable_warps_ = 0, waiting_ = 0, done_ = 0;
  const char* barrier_file_ = nullptr;
  int barrier_line_ = 0;
  unsigned me_ = 0, warp_ = 0;  // thread that runs, warp that is preferred
  std::array<Wait, kMaxThreads> waits_;

  // Fibers: kMaxThreads with stacks of their own, then the one that called run().
  char* stacks_ = nullptr;
  std::array<Fiber, kMaxThreads + 1> fibers_;
  std::array<unsigned, kMaxThreads> fiber_of_{};  // of a thread that waits
  std::vector<unsigned> free_;                    // fibers without a thread
  unsigned fiber_ = kMaxThreads, starting_ = 0;
  std::vector<char> shared_;
};

}  // namespace emulated
