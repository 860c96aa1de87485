// A large zeroed array of floats, aligned to cache lines, in huge pages where there are any.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <span>

#include "core/error.h"

namespace verbund {

class AlignedBuffer {
 public:
  explicit AlignedBuffer(int64_t size) : size_(static_cast<size_t>(size)) {
    void* data = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) fail_errno("there is no memory for {} parameters", size);
    ::madvise(data, bytes(), MADV_HUGEPAGE);
    data_ = static_cast<float*>(data);
  }
  ~AlignedBuffer() { ::munmap(data_, bytes()); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  float* data() { return data_; }
  std::span<float> span() { return {data_, size_}; }

 private:
  size_t bytes() const { return size_ * sizeof(float); }

  size_t size_;
  float* data_;
};

}  // namespace verbund
