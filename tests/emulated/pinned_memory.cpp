// SPDX-License-Identifier: Apache-2.0
#include "emulated/pinned_memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace emulated {
namespace {

constexpr size_t kPage = 4096, kMaxFreed = 1000;

size_t pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

void* PinnedMemory::allocate(size_t bytes) {
  void* memory = mmap(nullptr, pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  blocks_[reinterpret_cast<uintptr_t>(memory)] = bytes;
  return memory;
}

bool PinnedMemory::release(void* pointer) {
  const auto found = blocks_.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == blocks_.end()) return false;
  mmap(pointer, pages(found->second), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  freed_.push_back(*found);
  blocks_.erase(found);
  if (freed_.size() > kMaxFreed) {
    munmap(reinterpret_cast<void*>(freed_.front().first), pages(freed_.front().second));
    freed_.pop_front();
  }
  return true;
}

bool PinnedMemory::contains(const void* pointer, size_t bytes) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return false;
  const auto& [begin, size] = *std::prev(next);
  return address - begin <= size && bytes <= size - (address - begin);
}

bool PinnedMemory::freed(const void* pointer) const {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  return std::ranges::any_of(freed_, [&](const auto& block) { return address - block.first < block.second; });
}

}  // namespace emulated
