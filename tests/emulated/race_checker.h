// SPDX-License-Identifier: Apache-2.0
// RaceChecker finds accesses of device and shared memory that a real GPU may do in either order: by threads of a block
// without a barrier between them, by different blocks of a launch, and by work of different streams without an event or
// a wait of the host between. Kernels compiled with -fsanitize=thread call it for each access (tsan_runtime.cpp).
//
// Every stretch of a block between two barriers has a number, its segment; numbers grow in the order in which things
// run here. For each two bytes of memory a cell keeps who wrote and who read it last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulated {

class Clock;
struct Device;
struct Work;

// 0 is never; kOutside marks bytes that belong to no allocation.
using Segment = uint32_t;
constexpr Segment kOutside = ~Segment{0};

struct Cell {
  Segment write, read;
  uint32_t writer, reader;  // thread, epoch of its warp, and flags, see race_checker.cpp
  Segment other_read;       // by work of another stream that `read` is not in order with
};

// The cells of a device's memory, and the work that they tell of.
class Shadow {
 public:
  static constexpr size_t kUnit = 2;  // bytes of a cell: the smallest number that kernels store

  Shadow(uintptr_t begin, size_t bytes);

  Cell* cells() { return cells_; }
  void set_outside(uintptr_t begin, uintptr_t end);
  void clear(uintptr_t begin, uintptr_t end);

  struct Past {
    Segment first;
    unsigned stream;
    uint32_t time;
    std::string name;
  };
  void add(Past past) { works_.push_back(std::move(past)); }
  // The work that a segment belongs to, and the first segment that no longer does.
  const Past& work_of(Segment segment, Segment& end) const;

 private:
  uintptr_t begin_;
  Cell* cells_;
  std::vector<Past> works_;
};

class RaceChecker {
 public:
  // Work that is about to run on this thread of the system. Its ranges are accesses; kernels add theirs.
  static void begin_work(Device& device, const Work& work, unsigned stream, uint32_t time, const Clock& clock);
  // Races in it; 0 if none is running.
  static uint64_t end_work();

  static void begin_block(uint64_t block, const char* shared, size_t shared_bytes);
  static void pass_barrier();
  static void enter(unsigned thread, unsigned warp_epoch);

  static void access(const void* address, size_t bytes, bool write);
  static void misaligned(const void* address, size_t alignment, const char* type, const char* file, unsigned line);

  static uint64_t races();  // in all work so far
  static void reset();
};

}  // namespace emulated
