// SPDX-License-Identifier: Apache-2.0
#include "emulated/block_runner.h"

#include <sys/mman.h>

#include <bit>
#include <numeric>

#include "emulated/device_memory.h"
#include "emulated/messages.h"
#include "emulated/race_checker.h"

// The linker's: where this library begins and ends in memory.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, _end;

constinit thread_local uint3 threadIdx, blockIdx;
constinit thread_local dim3 blockDim, gridDim;

namespace emulated {
namespace {

constexpr size_t kPage = 4096, kStack = 128 << 10;

// Neighbouring stacks begin at different lines of the cache: at equal ones, 32 lanes would push each other out of it.
size_t stack_bytes(unsigned fiber) { return kStack - fiber % 16 * 256; }

}  // namespace

constinit thread_local unsigned long long operations = 0;
constinit thread_local int lane_of_thread = 0;
constinit thread_local BlockRunner* BlockRunner::running_ = nullptr;

BlockRunner& BlockRunner::here() {
  // Behind a pointer: a library that is loaded late has little room for what each thread has.
  static thread_local const auto runner = std::make_unique<BlockRunner>();
  return *runner;
}

BlockRunner::BlockRunner() : indices_(kMaxThreads), shared_(kSharedLimit + 64) {
  give_signal_stack();
  // A page without access below each stack: a kernel that needs more than its stack is told so.
  void* memory =
      mmap(nullptr, kMaxThreads * (kStack + kPage), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    say("no address space for the stacks of {} threads", kMaxThreads);
    std::abort();
  }
  stacks_ = static_cast<char*>(memory);
  for (unsigned fiber = kMaxThreads; fiber-- > 0;) free_.push_back(fiber);
}

BlockRunner::~BlockRunner() { munmap(stacks_, kMaxThreads * (kStack + kPage)); }

bool BlockRunner::on_guard_page(const void* address) const {
  const auto offset = static_cast<const char*>(address) - stacks_;
  return offset >= 0 && static_cast<size_t>(offset) < kMaxThreads * (kStack + kPage) &&
         static_cast<size_t>(offset) % (kStack + kPage) < kPage;
}

bool BlockRunner::owns(const void* address) const {
  const auto* at = static_cast<const char*>(address);
  const auto within = [&](const void* begin, size_t bytes) {
    return static_cast<size_t>(at - static_cast<const char*>(begin)) < bytes;
  };
  return within(stacks_, kMaxThreads * (kStack + kPage)) ||
         within(launch_->arguments.get(), launch_->kernel->storage) ||
         within(&__ehdr_start, static_cast<size_t>(&_end - &__ehdr_start)) || within(&threadIdx, sizeof threadIdx) ||
         within(&blockIdx, sizeof blockIdx) || within(&blockDim, sizeof blockDim) || within(&gridDim, sizeof gridDim) ||
         within(&operations, sizeof operations) || within(&lane_of_thread, sizeof lane_of_thread);
}

std::optional<Refusal> BlockRunner::run(const Launch& launch, Order order, uint64_t seed) {
  launch_ = &launch;
  order_ = order;
  random_ = seed * 0x9E3779B97F4A7C15u + 1;
  const dim3 grid = launch.grid, block = launch.block;
  threads_ = block.x * block.y * block.z;
  warps_ = (threads_ + 31) / 32;
  blocks_ = uint64_t{grid.x} * grid.y * grid.z;
  block_ = 0;
  // Blocks in steps that have no common divisor with their number reach each once.
  first_block_ = order == Order::kRandom ? random() % blocks_ : 0;
  block_step_ = 1;
  if (order == Order::kRandom) {
    do block_step_ = random() % blocks_ + 1;
    while (std::gcd(block_step_, blocks_) != 1);
  }
  for (unsigned t = 0; t < threads_; ++t) {
    indices_[t] = {t % block.x, t / block.x % block.y, t / block.x / block.y};
  }
  existing_.fill(0);
  for (unsigned t = 0; t < threads_; t += 32) existing_[t / 32] = threads_ - t >= 32 ? ~0u : (1u << (threads_ - t)) - 1;
  gridDim = grid;
  blockDim = block;
  refusal_.reset();

  running_ = this;
  begin_block();
  begin_thread(static_cast<unsigned>(take_next()));
  change_to(take_fiber());
  running_ = nullptr;
  if (refusal_) {  // fibers were left in the midst of the kernel
    free_.clear();
    for (unsigned fiber = kMaxThreads; fiber-- > 0;) {
      free_.push_back(fiber);
      fibers_[fiber].abandon();
    }
  }
  return std::move(refusal_);
}

uint64_t BlockRunner::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ >> 11;
}

void BlockRunner::begin_block() {
  const dim3& grid = launch_->grid;
  uint64_t at = block_;
  if (order_ == Order::kBackward) at = blocks_ - 1 - block_;
  if (order_ == Order::kRandom) at = (first_block_ + block_ * block_step_) % blocks_;
  blockIdx = {static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
              static_cast<unsigned>(at / grid.x / grid.y)};
  unstarted_ = runnable_ = existing_;
  runnable_warps_ = warps_ == 32 ? ~0u : (1u << warps_) - 1;
  waiting_ = done_ = 0;
  ended_.fill(0);
  warp_ = kWarps;
  if (const unsigned used = launch_->kernel->shared_bytes; used > 0) {
    std::memset(shared_.data(), 0xFF, used + 64);  // NaN
  }
  if (kChecked) {
    warp_epoch_.fill(0);
    RaceChecker::begin_block(at, shared_.data(), shared_.size());
  }
}

bool BlockRunner::next_block() {
  if (++block_ == blocks_) return false;
  begin_block();
  return true;
}

void BlockRunner::enter(unsigned thread) {
  me_ = thread;
  threadIdx = indices_[thread];
  lane_of_thread = static_cast<int>(thread % 32);
  if (kChecked) RaceChecker::enter(thread, warp_epoch_[thread / 32]);
}

// Runs threads until the launch has none left for this fiber.
void BlockRunner::fiber_main() {
  BlockRunner& runner = *running_;
  Fiber::entered(runner.fibers_[kMaxThreads]);
  for (;;) {
    BlockRunner& now = *running_;
    now.enter(now.starting_);
    now.launch_->kernel->call(now.launch_->arguments.get());
    now.finish();
  }
}

void BlockRunner::begin_thread(unsigned thread) {
  unstarted_[thread / 32] &= ~(1u << thread % 32);
  starting_ = thread;
}

// The thread that ran has come to its end. Returns when this fiber has another one to begin.
void BlockRunner::finish() {
  ended_[me_ / 32] |= 1u << me_ % 32;
  if (++done_ == threads_ && !next_block()) {
    free_.push_back(fiber_);
    change_to(kMaxThreads);
    return;
  }
  const int next = take_next();
  if (next < 0) refuse_stuck();
  const auto thread = static_cast<unsigned>(next);
  if (unstarted_[thread / 32] >> thread % 32 & 1) {
    begin_thread(thread);
    return;
  }
  free_.push_back(fiber_);
  change_to(fiber_of_[thread]);
}

// The thread that runs waits; `next` goes on.
void BlockRunner::suspend(unsigned next) {
  const unsigned me = me_;
  if (next == me) return;
  fiber_of_[me] = fiber_;
  if (unstarted_[next / 32] >> next % 32 & 1) {
    begin_thread(next);
    change_to(take_fiber());
  } else {
    change_to(fiber_of_[next]);
  }
  enter(me);
}

unsigned BlockRunner::take_fiber() {
  const unsigned fiber = free_.back();
  free_.pop_back();
  if (!fibers_[fiber].prepared()) {
    char* stack = stacks_ + fiber * (kStack + kPage) + kPage;
    mprotect(stack, kStack, PROT_READ | PROT_WRITE);
    fibers_[fiber].prepare(stack, stack_bytes(fiber), &BlockRunner::fiber_main);
  }
  return fiber;
}

void BlockRunner::change_to(unsigned fiber) {
  Fiber& from = fibers_[fiber_];
  fiber_ = fiber;
  Fiber::change(from, fibers_[fiber]);
}

// One of the bits, by the order of the settings.
unsigned BlockRunner::choose(unsigned candidates) {
  if (order_ == Order::kForward) return static_cast<unsigned>(std::countr_zero(candidates));
  if (order_ == Order::kBackward) return 31 - static_cast<unsigned>(std::countl_zero(candidates));
  for (uint64_t skip = random() % static_cast<unsigned>(std::popcount(candidates)); skip > 0; --skip) {
    candidates &= candidates - 1;
  }
  return static_cast<unsigned>(std::countr_zero(candidates));
}

// A thread that can run, or -1. A warp is gone on with as long as it can be: its stacks are in the cache.
int BlockRunner::take_next() {
  if (order_ == Order::kRandom && (random() & 7) == 0) warp_ = kWarps;
  if (warp_ == kWarps || runnable_[warp_] == 0) {
    if (runnable_warps_ == 0) return -1;
    warp_ = choose(runnable_warps_);
  }
  const unsigned lane = choose(runnable_[warp_]);
  runnable_[warp_] &= ~(1u << lane);
  if (runnable_[warp_] == 0) runnable_warps_ &= ~(1u << warp_);
  return static_cast<int>(warp_ * 32 + lane);
}

void BlockRunner::barrier(const char* file, int line) {
  if (waiting_ == 0) {
    barrier_file_ = file;
    barrier_line_ = line;
  } else if (line != barrier_line_ || (file != barrier_file_ && std::strcmp(file, barrier_file_) != 0)) {
    refuse(verbund::cuda::CUDA_ERROR_LAUNCH_FAILED,
           fmt::format("waits at the barrier {}:{}, but other threads of its block at {}:{}", file, line, barrier_file_,
                       barrier_line_));
  }
  at_barrier_[me_ / 32] |= 1u << me_ % 32;
  if (++waiting_ == threads_) {
    waiting_ = 0;
    at_barrier_.fill(0);
    runnable_ = existing_;
    runnable_warps_ = warps_ == 32 ? ~0u : (1u << warps_) - 1;
    warp_ = kWarps;
    if (kChecked) RaceChecker::pass_barrier();
  }
  const int next = take_next();
  if (next < 0) refuse_stuck();
  suspend(static_cast<unsigned>(next));
  if (kChecked) RaceChecker::enter(me_, warp_epoch_[me_ / 32]);
}

// The stack is never gone back to, so nothing on it may own memory.
void BlockRunner::refuse(verbund::cuda::CUresult error, std::string message) {
  refusal_ = Refusal{error, place() + ": " + message};
  std::string().swap(message);
  at_barrier_.fill(0);
  exchanging_.fill(0);
  change_to(kMaxThreads);
  std::abort();
}

std::string BlockRunner::place_of(unsigned thread) const {
  const uint3 t = indices_[thread];
  return fmt::format("kernel {}, block ({}, {}, {}), thread ({}, {}, {})", launch_->kernel->name, blockIdx.x,
                     blockIdx.y, blockIdx.z, t.x, t.y, t.z);
}

}  // namespace emulated
