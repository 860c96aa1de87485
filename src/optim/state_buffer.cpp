#include "optim/state_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "core/human.h"
#include "optim/blocks.h"

namespace verbund {
namespace {

constexpr size_t kHugePage = 2 << 20;
constexpr size_t kCacheLine = 64;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

float* allocate(size_t size) {
  const size_t bytes = size * sizeof(float);
  const size_t alignment = bytes < kHugePage ? kCacheLine : kHugePage;
  void* data = std::aligned_alloc(alignment, round_up(bytes, alignment));
  if (data == nullptr && size > 0) {
    fail("no memory for {} of optimiser state ({} weights): use a smaller model or a machine with more memory",
         human_bytes(bytes), human_count(size));
  }
  // Advice only: without huge pages everything works, a little slower.
  if (alignment == kHugePage) madvise(data, round_up(bytes, alignment), MADV_HUGEPAGE);
  return static_cast<float*>(data);
}

}  // namespace

StateBuffer::StateBuffer(size_t size) : data_(allocate(size)), size_(size) {
  for_each_block({0, size},
                 [&](size_t, Interval block) { std::fill(data_.get() + block.begin, data_.get() + block.end, 0.0f); });
}

void StateBuffer::Free::operator()(float* data) const { std::free(data); }

}  // namespace verbund
