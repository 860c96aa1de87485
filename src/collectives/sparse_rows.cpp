#include "collectives/sparse_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/sum_order.h"

namespace verbund {
namespace {

void add(size_t count, const float* __restrict from, float* __restrict to) {
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
    if (has_b && has_a) add(width, &b.values[in_b * width], row);
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
    add(width, &rows.values[i * width], &table[static_cast<size_t>(rows.ids[i]) * width]);
  }
}

}  // namespace verbund
