// Sums the rows of a looked-up table over all workers. A worker has rows of the tokens that it has seen, some thousand
// of a table of many times that, so everybody sends its own to all, and all add them up in the same order. Where the
// workers together have seen so much that the whole table is less, that is summed instead.
//
//   RowExchange rows(lookup, wire);
//   rows.exchange(comm, own);        // with the thread of communication
//   rows.add_to(gradients);          // once the table's dense gradient is summed
#pragma once

#include <span>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/sparse_rows.h"
#include "model/gradient_order.h"

namespace verbund {

// Whether all workers together send less if each sends its rows to all others, than if they sum the table. A row takes
// its id and its values to n - 1 workers; a table is sent 2 (n - 1)/n times by each of n workers.
bool rows_are_less(size_t rows_of_all_workers, size_t width, size_t table_values, Wire wire);

class RowExchange {
 public:
  RowExchange(const Lookup& lookup, Wire wire);

  // By all workers together; `own` may be empty. The same bits everywhere, for the wire rounds one's own rows as well.
  void exchange(Communicator& comm, const SparseRows& own);
  // Adds the sums to the table, whose place in this flat buffer the lookup tells. Once.
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
  std::vector<float> table_;  // the sums, if the whole table is less
  bool as_table_ = false;
};

}  // namespace verbund
