// SPDX-License-Identifier: Apache-2.0
// The memory of one emulated GPU. Addresses come from one range that the host can never use by mistake: pages are
// without access but while work of the device runs. An allocation ends at the end of a page, and a page without access
// follows; addresses of freed memory are not given out again soon. Fresh memory is NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace emulated {

class DeviceMemory {
 public:
  DeviceMemory(int device, size_t limit);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // 0 if the limit is reached.
  uintptr_t allocate(size_t bytes);
  // False if nothing was allocated at this address.
  bool release(uintptr_t address);
  void release_all();

  // The bytes around an allocation that can be touched without a fault.
  struct Extent {
    uintptr_t begin, end;
  };
  Extent extent(uintptr_t address) const {
    const Block& block = blocks_.at(address);
    return {block.pages, block.pages + block.page_bytes};
  }
  // Whether all bytes lie in one allocation.
  bool contains(uintptr_t address, size_t bytes) const;
  bool in_range(uintptr_t address) const { return address - begin_ < bytes_; }
  // "byte 20 of the 64 at 0x7f... on device 0", "8 bytes after the end of ...", "freed memory ..."
  std::string describe(uintptr_t address) const;

  // Work may begin and end in several threads; the pages are open while there is any.
  void open();
  void close();

  size_t limit() const { return limit_; }
  size_t free_bytes() const { return limit_ - used_; }
  uintptr_t begin() const { return begin_; }
  size_t bytes() const { return bytes_; }

 private:
  struct Block {
    uintptr_t pages;  // where its pages begin
    size_t page_bytes, bytes;
  };
  uintptr_t find_pages(size_t bytes);

  int device_;
  size_t limit_, used_ = 0, bytes_;
  uintptr_t begin_ = 0, cursor_ = 0;
  int open_ = 0;
  std::map<uintptr_t, Block> blocks_;  // by address
  std::map<uintptr_t, size_t> freed_;  // bytes by address, until the addresses are used again
};

// The fault handler reports device memory that the host touches, and addresses that a kernel must not touch; the latter
// ends the launch, not the process.
void install_fault_handler();
// To be called by each thread of the system that runs kernels.
void give_signal_stack();

}  // namespace emulated
