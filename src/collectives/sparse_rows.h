// Some rows of a table, by their ids, and their sums: what is absent counts as zero and costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace verbund {

struct SparseRows {
  std::vector<int32_t> ids;   // sorted, each once
  std::vector<float> values;  // [ids, width]

  size_t count() const { return ids.size(); }
};

// Of each id that either of them has: a's row + b's.
SparseRows sum(const SparseRows& a, const SparseRows& b, size_t width);

// Of all parts, in an order that depends on nothing but their number: [0, n) is the sum of [0, p) and of [p, n), where
// p is the largest power of two below n.
SparseRows sum_in_tree(std::span<SparseRows> parts, size_t width);

// table[id] += row.
void add_rows(const SparseRows& rows, size_t width, std::span<float> table);

}  // namespace verbund
