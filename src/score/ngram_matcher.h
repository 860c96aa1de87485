// SPDX-License-Identifier: Apache-2.0
// NgramMatcher counts the n-grams of a hypothesis that are found in its references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "score/segments.h"

namespace verbund {

// The number of n-grams of a sequence of `length` symbols.
constexpr int64_t ngram_count(size_t length, size_t n) { return length < n ? 0 : static_cast<int64_t>(length - n + 1); }

// The n-grams of the references form a tree: "a b c" is the child "c" of "a b". A node is a slot of one hash table,
// with the key (slot of the parent, last symbol). So an n-gram of any length costs one look-up and no copy, different
// n-grams never share a node, and a hypothesis is followed only as deep as a reference agrees with it.
class NgramMatcher {
 public:
  // Adds the number of matching n-grams to matches[n - 1], for n = 1 up to the size of `matches`. An n-gram counts at
  // most as often as it occurs in the reference that has most of it.
  void add_matches(std::span<const Symbol> hypothesis, std::span<const Symbols> references, std::span<int64_t> matches);

 private:
  struct Slot {
    uint64_t key = 0;
    uint64_t pass = 0;   // the last pass through a sequence that came here
    uint32_t count = 0;  // visits of that pass
    uint32_t limit = 0;  // most visits of one reference
  };

  void prepare(size_t ngrams);
  void add_reference(std::span<const Symbol> reference, size_t order);
  Slot& locate(uint64_t key);
  bool is_empty(const Slot& slot) const { return slot.pass < first_pass_; }

  std::vector<Slot> slots_;
  int shift_ = 63;           // the upper 64 - shift_ bits of a hash choose the slot
  uint64_t pass_ = 0;        // the current pass
  uint64_t first_pass_ = 1;  // slots with an older pass are empty, so nothing is ever cleared
};

}  // namespace verbund
