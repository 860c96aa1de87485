// SPDX-License-Identifier: Apache-2.0
#include "score/ngram_matcher.h"

#include <algorithm>
#include <bit>

#include "core/interrupt.h"

namespace verbund {
namespace {

constexpr uint32_t kRoot = UINT32_MAX;

uint64_t node_key(uint32_t parent, Symbol symbol) { return uint64_t{parent} << 32 | symbol; }

}  // namespace

void NgramMatcher::add_matches(std::span<const Symbol> hypothesis, std::span<const Symbols> references,
                               std::span<int64_t> matches) {
  const size_t order = matches.size();
  size_t symbols = 0;
  for (const Symbols& reference : references) symbols += reference.size();
  prepare(symbols * order);
  for (const Symbols& reference : references) add_reference(reference, order);

  ++pass_;
  for (size_t start = 0; start < hypothesis.size(); ++start) {
    check_interrupt_now_and_then(start);  // a line may be as long as a book
    const size_t longest = std::min(order, hypothesis.size() - start);
    uint32_t parent = kRoot;
    for (size_t n = 0; n < longest; ++n) {
      Slot& slot = locate(node_key(parent, hypothesis[start + n]));
      if (is_empty(slot)) break;  // no longer n-gram is in a reference either
      if (slot.pass != pass_) {
        slot.pass = pass_;
        slot.count = 0;
      }
      if (slot.count < slot.limit) {
        ++slot.count;
        ++matches[n];
      }
      parent = static_cast<uint32_t>(&slot - slots_.data());
    }
  }
}

// Empties the table and makes it large enough to stay at most half full: slots identify nodes and must not move.
void NgramMatcher::prepare(size_t ngrams) {
  const size_t capacity = std::bit_ceil(std::max<size_t>(2 * ngrams, 2));
  if (slots_.size() < capacity) slots_.resize(capacity);
  shift_ = 64 - std::countr_zero(capacity);
  first_pass_ = pass_ + 1;
}

void NgramMatcher::add_reference(std::span<const Symbol> reference, size_t order) {
  ++pass_;
  for (size_t start = 0; start < reference.size(); ++start) {
    check_interrupt_now_and_then(start);
    const size_t longest = std::min(order, reference.size() - start);
    uint32_t parent = kRoot;
    for (size_t n = 0; n < longest; ++n) {
      const uint64_t key = node_key(parent, reference[start + n]);
      Slot& slot = locate(key);
      if (is_empty(slot)) {
        slot = {.key = key, .pass = pass_};
      } else if (slot.pass != pass_) {
        slot.pass = pass_;
        slot.count = 0;
      }
      slot.limit = std::max(slot.limit, ++slot.count);
      parent = static_cast<uint32_t>(&slot - slots_.data());
    }
  }
}

// The slot of the key, or the empty one where it belongs.
NgramMatcher::Slot& NgramMatcher::locate(uint64_t key) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  const size_t last = (size_t{1} << (64 - shift_)) - 1;
  size_t index = key * kGoldenRatio >> shift_;
  while (!is_empty(slots_[index]) && slots_[index].key != key) index = (index + 1) & last;
  return slots_[index];
}

}  // namespace verbund
