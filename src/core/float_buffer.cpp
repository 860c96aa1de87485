#include "core/float_buffer.h"

#include <sys/mman.h>

#include "core/error.h"
#include "core/human.h"

namespace verbund {

FloatBuffer::FloatBuffer(size_t size) : size_(size) {
  if (size == 0) return;
  const size_t bytes = size * sizeof(float);
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    fail("there is no memory for {} numbers ({}): take a smaller model, or a machine with more memory",
         human_count(size), human_bytes(bytes));
  }
  ::madvise(data, bytes, MADV_HUGEPAGE);  // without them everything works, a little slower
  data_ = static_cast<float*>(data);
}

FloatBuffer::~FloatBuffer() {
  if (data_ != nullptr) ::munmap(data_, size_ * sizeof(float));
}

}  // namespace verbund
