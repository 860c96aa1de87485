// SPDX-License-Identifier: Apache-2.0
#include "collectives/row_exchange.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "collectives/chunks.h"
#include "collectives/sum_order.h"
#include "collectives/wire.h"
#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kTableSlice = 64 * kChunk;  // 8 MiB, which bounds the memory for messages

// Every row is encoded by itself, so a row of small values has its own scale.
size_t row_bytes(Wire wire, size_t width) { return sizeof(int32_t) + wire_size(wire, width); }

void add_row(size_t count, const float* __restrict from, float* __restrict to) {
  for (size_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

SparseRows sum(const SparseRows& a, const SparseRows& b, size_t width) {
  SparseRows result;
  result.ids.reserve(a.count() + b.count());
  std::set_union(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end(), std::back_inserter(result.ids));
  result.values.resize(result.count() * width);
  float* row = result.values.data();
  size_t in_a = 0, in_b = 0;
  for (const int32_t id : result.ids) {
    const bool has_a = in_a < a.count() && a.ids[in_a] == id, has_b = in_b < b.count() && b.ids[in_b] == id;
    if (has_a) std::copy_n(&a.values[in_a++ * width], width, row);
    if (has_b && has_a) add_row(width, &b.values[in_b * width], row);
    if (has_b && !has_a) std::copy_n(&b.values[in_b * width], width, row);
    in_b += has_b ? 1 : 0;
    row += width;
  }
  return result;
}

SparseRows sum_in_tree(std::span<SparseRows> parts, size_t width) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return std::move(parts[0]);
  const auto middle = static_cast<size_t>(split_of({0, static_cast<int>(parts.size())}));
  return sum(sum_in_tree(parts.first(middle), width), sum_in_tree(parts.subspan(middle), width), width);
}

void add_rows(const SparseRows& rows, size_t width, std::span<float> table) {
  for (size_t i = 0; i < rows.count(); ++i) {
    add_row(width, &rows.values[i * width], &table[static_cast<size_t>(rows.ids[i]) * width]);
  }
}

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
  for (size_t begin = 0; begin < table_.size(); begin += kTableSlice) {
    const Interval interval = {begin, std::min(begin + kTableSlice, table_.size())};
    comm.all_reduce(table_, interval, wire_);
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

// All ids, followed by all rows.
std::string RowExchange::pack(const SparseRows& rows) const {
  const size_t bytes = wire_size(wire_, width_);
  std::string message(rows.count() * row_bytes(wire_, width_), '\0');
  auto* to = reinterpret_cast<std::byte*>(message.data());
  to = std::ranges::copy(std::as_bytes(std::span(rows.ids)), to).out;  // unlike memcpy, allows no rows
  for (size_t i = 0; i < rows.count(); ++i, to += bytes) encode(wire_, {&rows.values[i * width_], width_}, to);
  return message;
}

SparseRows RowExchange::unpack(const std::string& message) const {
  const size_t bytes = wire_size(wire_, width_), count = message.size() / row_bytes(wire_, width_);
  if (message.size() != count * row_bytes(wire_, width_)) {
    fail("a worker has sent {} bytes, which is not a whole number of rows of {} values", message.size(), width_);
  }
  SparseRows rows;
  rows.ids.resize(count);
  rows.values.resize(count * width_);
  const auto* from = reinterpret_cast<const std::byte*>(message.data());
  const std::span<std::byte> ids = std::as_writable_bytes(std::span(rows.ids));
  std::ranges::copy(std::span(from, ids.size()), ids.begin());
  from += ids.size();
  for (size_t i = 0; i < count; ++i, from += bytes) decode(wire_, from, {&rows.values[i * width_], width_});
  return rows;
}

}  // namespace verbund
