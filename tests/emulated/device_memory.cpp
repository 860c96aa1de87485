// SPDX-License-Identifier: Apache-2.0
#include "emulated/device_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "emulated/messages.h"

namespace emulated {
namespace {

constexpr size_t kPage = 4096, kAlignment = 256;  // what cuMemAlloc promises

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

void protect(uintptr_t pages, size_t bytes, int access) { mprotect(reinterpret_cast<void*>(pages), bytes, access); }

}  // namespace

DeviceMemory::DeviceMemory(int device, size_t limit)
    : device_(device), limit_(limit), bytes_(round_up(limit, kPage) * 4 + (size_t{1} << 30)) {
  void* range = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    say("no address space for {} bytes of device {}: make VERBUND_EMULATED_MEMORY smaller than {}", bytes_, device,
        limit);
    std::abort();
  }
  begin_ = cursor_ = reinterpret_cast<uintptr_t>(range);
}

// Pages for an allocation and one without access after it: after the last ones given out, as long as there are any, so
// that freed addresses stay unused for as long as possible.
uintptr_t DeviceMemory::find_pages(size_t bytes) {
  for (int round = 0; round < 2; ++round) {
    for (;;) {
      const auto next = blocks_.lower_bound(cursor_);
      // The block before may reach beyond the cursor after a wrap.
      if (next != blocks_.begin()) {
        const Block& before = std::prev(next)->second;
        cursor_ = std::max(cursor_, before.pages + before.page_bytes + kPage);
      }
      const uintptr_t end = next == blocks_.end() ? begin_ + bytes_ : next->second.pages;
      if (cursor_ + bytes + kPage <= end) {
        const uintptr_t pages = cursor_;
        cursor_ += bytes + kPage;
        return pages;
      }
      if (next == blocks_.end()) break;
      cursor_ = next->second.pages + next->second.page_bytes + kPage;
    }
    cursor_ = begin_;
  }
  return 0;
}

uintptr_t DeviceMemory::allocate(size_t bytes) {
  const size_t kept = round_up(bytes, kAlignment);
  if (kept < bytes || kept > limit_ - used_) return 0;
  const size_t page_bytes = round_up(kept, kPage);
  const uintptr_t pages = find_pages(page_bytes);
  if (pages == 0) return 0;
  const uintptr_t address = pages + page_bytes - kept;
  freed_.erase(freed_.lower_bound(pages), freed_.lower_bound(pages + page_bytes));
  protect(pages, page_bytes, PROT_READ | PROT_WRITE);
  std::memset(reinterpret_cast<void*>(pages), 0xFF, page_bytes);
  if (open_ == 0) protect(pages, page_bytes, PROT_NONE);
  blocks_[address] = {pages, page_bytes, bytes};
  used_ += kept;
  return address;
}

bool DeviceMemory::release(uintptr_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  const Block block = found->second;
  // Mapped again: the memory goes back to the system, the addresses stay ours.
  mmap(reinterpret_cast<void*>(block.pages), block.page_bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  used_ -= round_up(block.bytes, kAlignment);
  freed_[address] = block.bytes;
  blocks_.erase(found);
  return true;
}

void DeviceMemory::release_all() {
  while (!blocks_.empty()) release(blocks_.begin()->first);
}

bool DeviceMemory::contains(uintptr_t address, size_t bytes) const {
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return false;
  const auto& [begin, block] = *std::prev(next);
  return address - begin <= block.bytes && bytes <= block.bytes - (address - begin);
}

std::string DeviceMemory::describe(uintptr_t address) const {
  const auto next = blocks_.upper_bound(address);
  const auto next_freed = freed_.upper_bound(address);
  if (next_freed != freed_.begin()) {
    const auto& [begin, bytes] = *std::prev(next_freed);
    if (address - begin < bytes) {
      return fmt::format("byte {} of the {} bytes at {:#x} on device {}, which were freed", address - begin, bytes,
                         begin, device_);
    }
  }
  const bool behind = next != blocks_.begin();
  if (behind) {
    const auto& [begin, block] = *std::prev(next);
    if (address - begin < block.bytes) {
      return fmt::format("byte {} of the {} bytes at {:#x} on device {}", address - begin, block.bytes, begin, device_);
    }
    // Nearer to the end of this one than to the next.
    if (next == blocks_.end() || address - begin - block.bytes < next->first - address) {
      return fmt::format("{:#x}, {} bytes after the end of the {} bytes at {:#x} on device {}", address,
                         address - begin - block.bytes, block.bytes, begin, device_);
    }
  }
  if (next != blocks_.end()) {
    return fmt::format("{:#x}, {} bytes before the {} bytes at {:#x} on device {}", address, next->first - address,
                       next->second.bytes, next->first, device_);
  }
  return fmt::format("{:#x}, an address of device {} where nothing is allocated", address, device_);
}

void DeviceMemory::open() {
  if (open_++ > 0) return;
  for (const auto& [address, block] : blocks_) protect(block.pages, block.page_bytes, PROT_READ | PROT_WRITE);
}

void DeviceMemory::close() {
  if (--open_ > 0) return;
  for (const auto& [address, block] : blocks_) protect(block.pages, block.page_bytes, PROT_NONE);
}

}  // namespace emulated
