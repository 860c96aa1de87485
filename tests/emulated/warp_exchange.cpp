// SPDX-License-Identifier: Apache-2.0
// The exchanges between the lanes of a warp: shuffles, ballots and barriers. All lanes that the mask names must reach
// the same place; each then gets its result, whatever the others do next.
#include <cstring>

#include "emulated/block_runner.h"
#include "emulated/messages.h"
#include "emulated/race_checker.h"

namespace emulated {
namespace {

constexpr auto kFailed = verbund::cuda::CUDA_ERROR_LAUNCH_FAILED;

}  // namespace

void BlockRunner::wait_for_warp(const Wait& wait) {
  const unsigned warp = me_ / 32, lane = me_ % 32, needed = wait.mask & existing_[warp];
  if ((wait.mask >> lane & 1) == 0) {
    refuse(kFailed, fmt::format("{}:{} names the lanes {:#010x}, not the calling lane {}", wait.file, wait.line,
                                wait.mask, lane));
  }
  if (const unsigned gone = needed & ended_[warp]; gone != 0) {
    refuse(kFailed, fmt::format("{}:{} waits for lane {} of its warp, which has ended (lanes {:#010x} named, {:#010x} "
                                "ended)",
                                wait.file, wait.line, std::countr_zero(gone), wait.mask, gone));
  }
  waits_[me_] = wait;
  exchanging_[warp] |= 1u << lane;
  if ((exchanging_[warp] & needed) == needed) complete_exchange(warp, needed);
  const int next = take_next();
  if (next < 0) refuse_stuck();
  suspend(static_cast<unsigned>(next));
}

void BlockRunner::complete_exchange(unsigned warp, unsigned mask) {
  const Wait& mine = waits_[me_];
  uint64_t ballot = 0;
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    Wait& wait = waits_[warp * 32 + lane];
    if ((wait.mask & existing_[warp]) != mask || wait.line != mine.line || wait.kind != mine.kind ||
        (wait.file != mine.file && std::strcmp(wait.file, mine.file) != 0)) {
      refuse(kFailed, fmt::format("{}:{} (lanes {:#010x}) meets lane {} at {}:{} (lanes {:#010x}): all lanes of a mask "
                                  "must come to the same place with the same mask",
                                  mine.file, mine.line, mine.mask, lane, wait.file, wait.line, wait.mask));
    }
    if (wait.kind == Wait::kExchange && (wait.source < 0 || wait.source > 31 || (mask >> wait.source & 1) == 0)) {
      refuse(kFailed, fmt::format("{}:{}: lane {} reads lane {}, which does not take part (lanes {:#010x})", wait.file,
                                  wait.line, lane, wait.source, mask));
    }
    if (wait.kind == Wait::kBallot) ballot |= wait.value << lane;
  }
  for (unsigned left = mask; left != 0; left &= left - 1) {
    Wait& wait = waits_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))];
    wait.result = wait.kind == Wait::kExchange ? waits_[warp * 32 + static_cast<unsigned>(wait.source)].value : ballot;
  }
  exchanging_[warp] &= ~mask;
  runnable_[warp] |= mask;
  runnable_warps_ |= 1u << warp;
  warp_ = warp;
  // Memory is ordered by barriers alone, not by shuffles; the checker knows barriers of whole warps.
  if (mine.kind == Wait::kBarrier && mask == existing_[warp]) ++warp_epoch_[warp];
}

uint64_t BlockRunner::exchange(unsigned mask, uint64_t value, int source, const char* file, int line) {
  wait_for_warp({mask, source, value, 0, file, line, Wait::kExchange});
  return waits_[me_].result;
}

uint64_t BlockRunner::ballot(unsigned mask, bool value, const char* file, int line) {
  wait_for_warp({mask, 0, value ? 1u : 0u, 0, file, line, Wait::kBallot});
  return waits_[me_].result;
}

void BlockRunner::warp_barrier(unsigned mask, const char* file, int line) {
  wait_for_warp({mask, 0, 0, 0, file, line, Wait::kBarrier});
  if (kChecked) RaceChecker::enter(me_, warp_epoch_[me_ / 32]);
}

// No thread can run: some have ended, or wait at a barrier, while others wait for them.
void BlockRunner::refuse_stuck() {
  unsigned exchanging = 0;
  const unsigned none = kMaxThreads;
  unsigned at_exchange = none, at_barrier = none, ended = none;
  for (unsigned t = threads_; t-- > 0;) {
    const unsigned warp = t / 32, bit = 1u << t % 32;
    if (exchanging_[warp] & bit) ++exchanging, at_exchange = t;
    if (at_barrier_[warp] & bit) at_barrier = t;
    if (ended_[warp] & bit) ended = t;
  }
  std::string text = fmt::format(
      "is stuck with its block: of {} threads {} wait at a barrier, {} for lanes of their "
      "warp, {} have ended",
      threads_, waiting_, exchanging, done_);
  if (at_barrier != none) {
    text += fmt::format("; barrier {}:{} is not reached by all", barrier_file_, barrier_line_);
    if (ended != none) text += fmt::format(", {} has ended", place_of(ended));
  }
  if (at_exchange != none) {
    const Wait& wait = waits_[at_exchange];
    text += fmt::format("; {} waits at {}:{} for lanes {:#010x}, of which {:#010x} are there", place_of(at_exchange),
                        wait.file, wait.line, wait.mask, exchanging_[at_exchange / 32]);
  }
  refuse(kFailed, std::move(text));
}

void barrier(const char* file, int line) { BlockRunner::running()->barrier(file, line); }
void warp_barrier(unsigned mask, const char* file, int line) { BlockRunner::running()->warp_barrier(mask, file, line); }
uint64_t exchange(unsigned mask, uint64_t value, int source, const char* file, int line) {
  return BlockRunner::running()->exchange(mask, value, source, file, line);
}
uint64_t ballot(unsigned mask, bool value, const char* file, int line) {
  return BlockRunner::running()->ballot(mask, value, file, line);
}

// A launch runs one thread at a time, so a plain sum is atomic.
template <typename T>
static T add(T* place, T value) {
  const T before = *place;
  *place = before + value;
  return before;
}
float atomic_add(float* place, float value) { return add(place, value); }
double atomic_add(double* place, double value) { return add(place, value); }
int atomic_add(int* place, int value) { return add(place, value); }
unsigned atomic_add(unsigned* place, unsigned value) { return add(place, value); }
unsigned long long atomic_add(unsigned long long* place, unsigned long long value) { return add(place, value); }

}  // namespace emulated
