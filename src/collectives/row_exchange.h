// SPDX-License-Identifier: Apache-2.0
// RowExchange sums the rows of a looked-up table over all workers. A worker has rows of the tokens that it has seen,
// some thousand of a much larger table, so every worker sends its rows to all others, and all add them in the same
// order. Where the workers together have seen so many rows that the whole table is smaller, the table is all-reduced
// instead.
//
//   RowExchange rows(lookup, wire);
//   rows.exchange(comm, own);        // on the communication thread
//   rows.add_to(gradients);          // once the table's dense gradient is summed
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.h"
#include "model/gradient_order.h"

namespace verbund {

// Some rows of a table, by their ids; absent rows are zero and cost nothing.
struct SparseRows {
  std::vector<int32_t> ids;   // sorted, each once
  std::vector<float> values;  // [ids, width]

  size_t count() const { return ids.size(); }
};

// The rows of all ids in a or b: for each, a's row + b's.
SparseRows sum(const SparseRows& a, const SparseRows& b, size_t width);

// The sum of all parts, in an order that depends on their number alone: [0, n) is the sum of [0, p) and of [p, n),
// where p is the largest power of two below n.
SparseRows sum_in_tree(std::span<SparseRows> parts, size_t width);

// table[id] += row.
void add_rows(const SparseRows& rows, size_t width, std::span<float> table);

// True if all workers together send fewer bytes when each sends its rows to all others than when they all-reduce the
// table. A row's id and values go to n - 1 workers; a table is sent 2 (n - 1)/n times by each of n workers.
bool rows_are_less(size_t rows_of_all_workers, size_t width, size_t table_values, Wire wire);

class RowExchange {
 public:
  RowExchange(const Lookup& lookup, Wire wire);

  // Collective; `own` may be empty. The same bits everywhere, because the wire rounds a worker's own rows as well.
  void exchange(Communicator& comm, const SparseRows& own);
  // Adds the sums to the table, at the lookup's place in this flat buffer. Once.
  void add_to(std::span<float> gradients);

 private:
  void exchange_rows(Communicator& comm, const SparseRows& own);
  void exchange_table(Communicator& comm, const SparseRows& own);
  std::string pack(const SparseRows& rows) const;
  SparseRows unpack(const std::string& message) const;

  Interval place_;
  size_t width_;
  Wire wire_;
  SparseRows sums_;
  std::vector<float> table_;  // the sums, if the whole table is smaller
  bool as_table_ = false;
};

}  // namespace verbund
