#include "model/workspace.h"

#include <sys/mman.h>

#include <algorithm>

#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = 2 << 20;

}  // namespace

Workspace::~Workspace() {
  for (const Piece& piece : pieces_) ::munmap(piece.data, piece.size);
}

void* Workspace::take_bytes(size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (pieces_.empty() || used_ + bytes > pieces_.back().size) grow(bytes);
  void* result = pieces_.back().data + used_;
  used_ += bytes;
  return result;
}

void Workspace::grow(size_t bytes) {
  if (!pieces_.empty()) before_ += used_;
  // At least half as much again as so far, so that growing ends soon.
  const size_t wanted = std::max({bytes, before_ / 2, size_t{16} << 20});
  const size_t size = (wanted + kHugePage - 1) / kHugePage * kHugePage;
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    fail(
        "there is no memory for {} of activations: use smaller batches (batch.tokens) or accumulate "
        "gradients",
        human_bytes(before_ + bytes));
  }
  ::madvise(data, size, MADV_HUGEPAGE);
  pieces_.push_back({static_cast<char*>(data), size});
  used_ = 0;
}

void Workspace::reset() {
  if (pieces_.size() > 1) {
    const size_t total = before_ + used_;
    for (const Piece& piece : pieces_) ::munmap(piece.data, piece.size);
    pieces_.clear();
    before_ = 0;
    grow(total + total / 8);
  }
  used_ = 0;
  before_ = 0;
}

uint64_t Workspace::bytes() const {
  uint64_t total = 0;
  for (const Piece& piece : pieces_) total += piece.size;
  return total;
}

}  // namespace verbund
