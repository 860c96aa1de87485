#include "collectives/row_exchange.h"

#include <algorithm>
#include <cstring>

#include "collectives/chunks.h"
#include "collectives/wire.h"
#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kTablePiece = 64 * kChunk;  // 8 MiB: so much memory for messages is enough

// Every row is a message by itself, so that a small one has its own scale beside a large one.
size_t row_bytes(Wire wire, size_t width) { return sizeof(int32_t) + wire_size(wire, width); }

}  // namespace

bool rows_are_less(size_t rows_of_all_workers, size_t width, size_t table_values, Wire wire) {
  return rows_of_all_workers * row_bytes(wire, width) < 2 * wire_size(wire, table_values);
}

RowExchange::RowExchange(const Lookup& lookup, Wire wire)
    : place_(lookup.place), width_(static_cast<size_t>(lookup.width)), wire_(wire) {}

void RowExchange::exchange(Communicator& comm, const SparseRows& own) {
  auto rows = static_cast<double>(own.count());
  comm.sum({&rows, 1});
  as_table_ = !rows_are_less(static_cast<size_t>(rows), width_, place_.size(), wire_);
  as_table_ ? exchange_table(comm, own) : exchange_rows(comm, own);
}

void RowExchange::exchange_rows(Communicator& comm, const SparseRows& own) {
  std::vector<SparseRows> all;
  for (const std::string& message : comm.gather(pack(own))) all.push_back(unpack(message));
  sums_ = sum_in_tree(all, width_);
}

void RowExchange::exchange_table(Communicator& comm, const SparseRows& own) {
  table_.assign(place_.size(), 0);
  add_rows(own, width_, table_);
  for (size_t begin = 0; begin < table_.size(); begin += kTablePiece) {
    const Interval piece = {begin, std::min(begin + kTablePiece, table_.size())};
    comm.all_reduce(table_, piece, wire_);
  }
}

void RowExchange::add_to(std::span<float> gradients) {
  const std::span<float> table = gradients.subspan(place_.begin, place_.size());
  if (as_table_) {
    for (size_t i = 0; i < table.size(); ++i) table[i] += table_[i];
  }
  as_table_ = false;
  add_rows(sums_, width_, table);
  sums_ = {};
}

// All ids, then all rows.
std::string RowExchange::pack(const SparseRows& rows) const {
  const size_t bytes = wire_size(wire_, width_);
  std::string message(rows.count() * row_bytes(wire_, width_), '\0');
  auto* to = reinterpret_cast<std::byte*>(message.data());
  std::memcpy(to, rows.ids.data(), rows.count() * sizeof(int32_t));
  to += rows.count() * sizeof(int32_t);
  for (size_t i = 0; i < rows.count(); ++i, to += bytes) encode(wire_, {&rows.values[i * width_], width_}, to);
  return message;
}

SparseRows RowExchange::unpack(const std::string& message) const {
  const size_t bytes = wire_size(wire_, width_), count = message.size() / row_bytes(wire_, width_);
  if (message.size() != count * row_bytes(wire_, width_)) {
    fail("a worker has sent {} bytes, which are no rows of {} values", message.size(), width_);
  }
  SparseRows rows;
  rows.ids.resize(count);
  rows.values.resize(count * width_);
  const auto* from = reinterpret_cast<const std::byte*>(message.data());
  std::memcpy(rows.ids.data(), from, count * sizeof(int32_t));
  from += count * sizeof(int32_t);
  for (size_t i = 0; i < count; ++i, from += bytes) decode(wire_, from, {&rows.values[i * width_], width_});
  return rows;
}

}  // namespace verbund
