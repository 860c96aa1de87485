// SPDX-License-Identifier: Apache-2.0
// The layout of a kernel's arrays in shared memory: one after another in the order in which they are first met, the
// same in every block. A place in the source that several kernels come to (a function of theirs) has an offset for
// each.
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "emulated/block_runner.h"
#include "emulated/messages.h"

namespace emulated {
namespace {

// Kernel and offset in one word, so that threads of the system may share a site.
unsigned long long pack(const Kernel& kernel, size_t offset) {
  return static_cast<unsigned long long>(kernel.number) << 32 | offset;
}

}  // namespace

void* BlockRunner::shared_memory(SharedSite& site, size_t bytes, size_t alignment) {
  Kernel& kernel = *launch_->kernel;
  char* begin = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(shared_.data()) + 63) & ~uintptr_t{63});
  std::atomic_ref place(site.place);
  const unsigned long long known = place.load(std::memory_order_relaxed);
  if (known >> 32 == kernel.number) return begin + (known & 0xFFFFFFFFu);

  static std::mutex mutex;
  static auto* offsets = new std::map<std::pair<const Kernel*, const SharedSite*>, size_t>;
  size_t offset = 0;
  {
    const std::lock_guard lock(mutex);
    const auto found = offsets->find({&kernel, &site});
    if (found != offsets->end()) {
      offset = found->second;
    } else {
      const size_t align = std::max<size_t>(alignment, 16);
      offset = (kernel.shared_bytes + align - 1) / align * align;
      if (offset + bytes <= kSharedLimit) {
        offsets->emplace(std::pair{&kernel, &site}, offset);
        kernel.shared_bytes = static_cast<unsigned>(offset + bytes);
        std::memset(begin + offset, 0xFF, bytes);  // NaN, as begin_block does
      }
    }
  }
  if (offset + bytes > kSharedLimit) {
    refuse(verbund::cuda::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
           fmt::format("{}:{} needs {} bytes of shared memory, {} in all: a block has {}", site.file, site.line, bytes,
                       offset + bytes, kSharedLimit));
  }
  place.store(pack(kernel, offset), std::memory_order_relaxed);
  return begin + offset;
}

void* shared_memory(SharedSite& site, size_t bytes, size_t alignment) {
  return BlockRunner::running()->shared_memory(site, bytes, alignment);
}

}  // namespace emulated
