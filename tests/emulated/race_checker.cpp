// SPDX-License-Identifier: Apache-2.0
#include "emulated/race_checker.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "emulated/block_runner.h"
#include "emulated/counters.h"
#include "emulated/gpu.h"
#include "emulated/messages.h"

namespace emulated {
namespace {

// Writer and reader: the thread in its block, how many barriers its warp had passed (modulo), and whether more than
// that one thread has read.
constexpr uint32_t kThread = 1023, kManyLanes = 1u << 31, kManyWarps = 1u << 30, kManyBlocks = 1u << 29;
constexpr uint32_t kEpoch = ((1u << 29) - 1) & ~kThread;
constexpr uint64_t kMaxMessages = 3;  // of a piece of work

std::atomic<Segment> segments = 0;
std::atomic<uint64_t> all_races = 0;

// What is running on this thread of the system.
struct Watch {
  Device* device = nullptr;
  Cell* cells = nullptr;
  uintptr_t begin = 0, bytes = 0, shared = 0, shared_bytes = 0;
  Segment segment = 0, block_first = 0, work_first = 0;
  uint32_t who = 0;
  const Clock* clock = nullptr;
  const Work* work = nullptr;
  Segment known_begin = 0, known_end = 0;  // segments of one earlier piece of work, and whether it is in order
  bool known_in_order = true;
  uint64_t races = 0;
  Counts counts;
  std::unique_ptr<Cell[]> shared_cells;
};

Watch& watch() {
  static thread_local const auto result = std::make_unique<Watch>();
  return *result;
}
constinit thread_local Watch* watching = nullptr;  // while work runs

Segment next_segment() { return ++segments; }

bool stream_in_order(Watch& w, Segment segment) {
  if (segment < w.known_begin || segment >= w.known_end) {
    const Shadow::Past& past = w.device->shadow->work_of(segment, w.known_end);
    w.known_begin = past.first;
    w.known_in_order = w.clock->knows(past.stream, past.time);
  }
  return w.known_in_order;
}

// Whether an earlier access is certain to lie before the one that is made now.
bool in_order(Watch& w, Segment segment, uint32_t who, bool shared) {
  if (segment >= w.work_first && !shared && (who & kManyBlocks) != 0) return false;
  if (segment >= w.block_first) {
    if (segment != w.segment) return true;  // a barrier lies between
    if ((who & kManyWarps) != 0) return false;
    if ((who & kThread) / 32 != (w.who & kThread) / 32) return false;
    if ((who & kEpoch) != (w.who & kEpoch)) return true;  // a barrier of the warp lies between
    return (who & kManyLanes) == 0 && (who & kThread) == (w.who & kThread);
  }
  if (shared) return true;  // another block had its own
  return segment < w.work_first && stream_in_order(w, segment);
}

std::string name_place(const Watch& w, uintptr_t address, bool shared) {
  if (shared) return fmt::format("byte {} of shared memory", address - w.shared);
  return w.device->memory.describe(address);
}

void report(Watch& w, uintptr_t address, bool shared, bool write, Segment segment, uint32_t who, bool was_write) {
  ++all_races;
  if (++w.races > kMaxMessages) return;
  std::string other;
  if (segment >= w.block_first) {
    other = fmt::format("thread {} of its block has {} with no barrier between", who & kThread,
                        was_write ? "written" : "read");
  } else if (segment >= w.work_first) {
    other = fmt::format("another block of the launch {}", was_write ? "writes" : "reads");
  } else {
    Segment end = 0;
    const Shadow::Past& past = w.device->shadow->work_of(segment, end);
    other =
        fmt::format("{} of stream {} {} with no event between", past.name, past.stream, was_write ? "writes" : "reads");
  }
  const BlockRunner* runner = BlockRunner::running();
  say("race: {} {} {}, which {}", runner != nullptr ? runner->place() : w.work->name, write ? "writes" : "reads",
      name_place(w, address, shared), other);
}

void access_cell(Watch& w, Cell& cell, uintptr_t address, bool write, bool shared) {
  if (cell.write != 0 && !in_order(w, cell.write, cell.writer, shared)) {
    report(w, address, shared, write, cell.write, cell.writer, true);
  }
  if (write) {
    if (cell.read != 0 && !in_order(w, cell.read, cell.reader, shared)) {
      report(w, address, shared, write, cell.read, cell.reader, false);
    } else if (cell.other_read != 0 && !shared && !in_order(w, cell.other_read, 0, shared)) {
      report(w, address, shared, write, cell.other_read, 0, false);
    }
    if (!shared && cell.write < w.work_first) w.counts.distinct_written += Shadow::kUnit;
    cell = {w.segment, 0, w.who, 0, 0};
    return;
  }
  uint32_t who = w.who;
  if (cell.read >= w.work_first && cell.read != 0) {
    if (cell.read < w.block_first) {
      who |= kManyBlocks;
    } else {
      who |= cell.reader & kManyBlocks;
      if (cell.read == w.segment) {
        who |= cell.reader & (kManyLanes | kManyWarps);
        if ((cell.reader & kThread) / 32 != (who & kThread) / 32) who |= kManyWarps;
        if ((cell.reader & kThread) != (who & kThread) && (cell.reader & kEpoch) == (who & kEpoch)) who |= kManyLanes;
      }
    }
  } else {
    if (!shared && cell.write < w.work_first) w.counts.distinct_read += Shadow::kUnit;
    if (!shared && cell.read != 0 && !stream_in_order(w, cell.read)) cell.other_read = cell.read;
  }
  cell.read = w.segment;
  cell.reader = who;
}

}  // namespace

Shadow::Shadow(uintptr_t begin, size_t bytes) : begin_(begin) {
  void* memory = mmap(nullptr, bytes / kUnit * sizeof(Cell), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    say("no address space to check {} bytes: make VERBUND_EMULATED_MEMORY smaller", bytes);
    std::abort();
  }
  cells_ = static_cast<Cell*>(memory);
}

void Shadow::set_outside(uintptr_t begin, uintptr_t end) {
  for (size_t unit = (begin - begin_ + kUnit - 1) / kUnit; unit < (end - begin_) / kUnit; ++unit) {
    cells_[unit] = {kOutside, 0, 0, 0, 0};
  }
}

void Shadow::clear(uintptr_t begin, uintptr_t end) {
  // Whole pages go back to the system, where they become zero again.
  auto* first = reinterpret_cast<char*>(cells_ + (begin - begin_) / kUnit);
  auto* last = reinterpret_cast<char*>(cells_ + (end - begin_ + kUnit - 1) / kUnit);
  const auto page = [](char* at) {
    return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(at) + 4095) & ~4095ul);
  };
  if (page(first) >= last) {
    std::fill(first, last, 0);
    return;
  }
  std::fill(first, page(first), 0);
  char* whole = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(last) & ~4095ul);
  if (whole > page(first)) madvise(page(first), static_cast<size_t>(whole - page(first)), MADV_DONTNEED);
  std::fill(std::max(whole, page(first)), last, 0);
}

const Shadow::Past& Shadow::work_of(Segment segment, Segment& end) const {
  const auto next = std::ranges::upper_bound(works_, segment, {}, &Past::first);
  end = next == works_.end() ? kOutside : next->first;
  return *std::prev(next);
}

void RaceChecker::begin_work(Device& device, const Work& work, unsigned stream, uint32_t time, const Clock& clock) {
  Watch& w = watch();
  w.device = &device;
  w.cells = device.shadow->cells();
  w.begin = device.memory.begin();
  w.bytes = device.memory.bytes();
  w.segment = w.block_first = w.work_first = next_segment();
  w.shared_bytes = 0;
  w.who = 0;
  w.clock = &clock;
  w.work = &work;
  w.known_begin = w.known_end = 0;
  w.races = 0;
  w.counts = {};
  device.shadow->add({w.work_first, stream, time, work.name});
  watching = &w;
  for (const Range& range : work.ranges) access(range.begin, range.bytes, range.written);
  if (!work.counts_itself || work.waits_for_others)
    watching = nullptr;  // the ranges were all; copies touch nothing else
}

uint64_t RaceChecker::end_work() {
  Watch& w = watch();
  watching = nullptr;
  if (w.work == nullptr) return 0;
  if (w.races > kMaxMessages) say("race: {} more in {}", w.races - kMaxMessages, w.work->name);
  if (w.work->counts_itself && w.work->ranges.empty()) count(w.work->name, w.counts);
  w.work = nullptr;
  return w.races;
}

void RaceChecker::begin_block(uint64_t, const char* shared, size_t shared_bytes) {
  Watch& w = *watching;
  w.segment = w.block_first = next_segment();
  w.shared = reinterpret_cast<uintptr_t>(shared);
  w.shared_bytes = shared_bytes;
  if (!w.shared_cells) w.shared_cells = std::make_unique<Cell[]>((kSharedLimit + 128) / Shadow::kUnit);
}

void RaceChecker::pass_barrier() { watching->segment = next_segment(); }

void RaceChecker::enter(unsigned thread, unsigned warp_epoch) { watching->who = thread | (warp_epoch << 10 & kEpoch); }

void RaceChecker::access(const void* pointer, size_t bytes, bool write) {
  Watch* w = watching;
  if (w == nullptr || bytes == 0) return;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const bool shared = address - w->shared < w->shared_bytes;
  if (!shared && address - w->begin >= w->bytes) {
    BlockRunner* runner = BlockRunner::running();
    if (runner == nullptr || runner->owns(pointer)) return;
    runner->refuse(CUDA_ERROR_ILLEGAL_ADDRESS,
                   fmt::format("{} {}, which is not an address of a device", write ? "writes" : "reads", pointer));
  }
  const uintptr_t offset = address - (shared ? w->shared : w->begin);
  Cell* cells = shared ? w->shared_cells.get() : w->cells;
  if (shared)
    (write ? w->counts.shared_written : w->counts.shared_read) += bytes;
  else
    (write ? w->counts.bytes_written : w->counts.bytes_read) += bytes;
  for (uintptr_t unit = offset / Shadow::kUnit; unit <= (offset + bytes - 1) / Shadow::kUnit; ++unit) {
    Cell& cell = cells[unit];
    if (BlockRunner* runner = BlockRunner::running(); runner != nullptr && cell.write == kOutside) {
      std::string text = w->device->memory.describe(address);
      text.insert(0, write ? "writes " : "reads ");
      runner->refuse(CUDA_ERROR_ILLEGAL_ADDRESS, std::move(text));
    }
    access_cell(*w, cell, w->shared * shared + w->begin * !shared + unit * Shadow::kUnit, write, shared);
  }
}

void RaceChecker::misaligned(const void* address, size_t alignment, const char* type, const char* file, unsigned line) {
  if (BlockRunner* runner = BlockRunner::running()) {
    runner->refuse(CUDA_ERROR_MISALIGNED_ADDRESS,
                   fmt::format("{}:{}: {} at {} is not aligned to {} bytes", file, line, type, address, alignment));
  }
}

uint64_t RaceChecker::races() { return all_races; }
void RaceChecker::reset() { all_races = 0; }

}  // namespace emulated
