// SPDX-License-Identifier: Apache-2.0
// EditDistance counts the edits (insertions, deletions, substitutions of words) that turn hypotheses of one length into
// a reference. Only cells near the diagonal are computed, as in tercom: the beam is part of TER's definition.
#pragma once

#include <span>

#include "score/segments.h"

namespace verbund {

// The edit of a word.
enum class Edit : uint8_t { kKeep, kSubstitute, kDelete, kInsert };

class EditDistance {
 public:
  EditDistance(std::span<const Symbol> reference, size_t hypothesis_length);

  // Computes all cells and keeps them.
  int32_t set_hypothesis(std::span<const Symbol> hypothesis);
  // The edits of the hypothesis that was set, from the first word to the last.
  std::vector<Edit> edits() const;
  // The distance of another hypothesis, whose first `same` words are those of the one that was set.
  int32_t distance(std::span<const Symbol> hypothesis, size_t same);

 private:
  // Row i belongs to the first i words of the hypothesis; its cells from begin up to end are computed. Column j belongs
  // to the first j words of the reference.
  struct Row {
    size_t begin, end;
    size_t offset;  // of its first cell in the kept ones
  };
  using Costs = std::vector<int32_t>;

  // `above` and `costs` hold column j at j + 1. Writes the edits of the row to `edits`, unless it is null.
  void fill(size_t i, Symbol word, const Costs& above, Costs& costs, Edit* edits) const;
  void bound(size_t i, Costs& costs) const;
  const Row& row(size_t i) const { return rows_[i]; }

  std::span<const Symbol> reference_;
  std::vector<Row> rows_;
  std::vector<int32_t> kept_costs_;
  std::vector<Edit> kept_edits_;
  Costs above_, costs_;
};

}  // namespace verbund
