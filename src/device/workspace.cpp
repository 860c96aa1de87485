// SPDX-License-Identifier: Apache-2.0
#include "device/workspace.h"

#include <algorithm>

namespace verbund {
namespace {

constexpr size_t kAlignment = 256;  // what a GPU's memory is aligned to
constexpr size_t kHugePage = 2 << 20;

}  // namespace

Workspace::~Workspace() {
  for (const Block& block : blocks_) device_.release(block.data, block.size);
}

void* Workspace::take_bytes(size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || used_ + bytes > blocks_.back().size) grow(bytes);
  void* result = blocks_.back().data + used_;
  used_ += bytes;
  return result;
}

void Workspace::grow(size_t bytes) {
  const size_t before = before_ + (blocks_.empty() ? 0 : used_);
  // Grow by at least half, so that growing ends soon; by less on a GPU, since its memory is scarce.
  size_t more = before / 2;
  if (!device_.is_host()) more = std::min<size_t>(before / 8, device_.memory().free / 4);
  const size_t wanted = std::max({bytes, more, size_t{16} << 20});
  const size_t size = (wanted + kHugePage - 1) / kHugePage * kHugePage;
  blocks_.push_back({static_cast<char*>(device_.allocate(size, "activations")), size});
  before_ = before;  // only now: a failed allocation does not count
  used_ = 0;
}

void Workspace::reset() {
  if (blocks_.size() > 1) {
    const size_t total = before_ + used_;
    for (const Block& block : blocks_) device_.release(block.data, block.size);
    blocks_.clear();
    before_ = 0;
    const size_t room = device_.is_host() ? 2 * total : static_cast<size_t>(device_.memory().free / 10 * 9);
    grow(std::clamp(room, total, total + total / 8));
  }
  used_ = 0;
  before_ = 0;
}

uint64_t Workspace::bytes() const {
  uint64_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

}  // namespace verbund
