// The edits (insertions, deletions, substitutions of words) that make a reference of hypotheses of one length. Only
// cells near the diagonal are looked at, as in tercom: the beam is part of TER's definition.
#pragma once

#include <span>

#include "score/symbol_table.h"

namespace verbund {

// What becomes of a word: first of the hypothesis, then of the reference.
enum class Edit : uint8_t { kKeep, kSubstitute, kDelete, kInsert };

class EditDistance {
 public:
  EditDistance(std::span<const Symbol> reference, size_t hypothesis_length);

  // Computes all cells and keeps them.
  int32_t set_hypothesis(std::span<const Symbol> hypothesis);
  // Of the hypothesis that was set, from its beginning to its end.
  std::vector<Edit> edits() const;
  // Of another one, whose first `same` words are those of the one that was set.
  int32_t distance(std::span<const Symbol> hypothesis, size_t same);

 private:
  // Row i belongs to the first i words of the hypothesis; its cells from begin up to end are looked at, the one of
  // column j for the first j words of the reference.
  struct Row {
    size_t begin, end;
    size_t offset;  // of its first cell in what is kept
  };
  using Costs = std::vector<int32_t>;

  // `above` and `costs` hold column j at j + 1. Writes what the row's edits are to `edits`, unless it is null.
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
