// SPDX-License-Identifier: Apache-2.0
// Host memory from cuMemHostAlloc. Copies read and write it when they run, not when they are called, so it must live
// that long: addresses of freed memory are kept without access and remembered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace emulated {

class PinnedMemory {
 public:
  void* allocate(size_t bytes);
  bool release(void* pointer);

  // Whether all bytes lie in one allocation; whether the first one does; whether it did before it was freed.
  bool contains(const void* pointer, size_t bytes) const;
  bool begins_in(const void* pointer) const { return contains(pointer, 1); }
  bool freed(const void* pointer) const;

 private:
  std::map<uintptr_t, size_t> blocks_;              // bytes by address
  std::deque<std::pair<uintptr_t, size_t>> freed_;  // the last ones
};

}  // namespace emulated
