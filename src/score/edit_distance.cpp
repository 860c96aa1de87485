// SPDX-License-Identifier: Apache-2.0
#include "score/edit_distance.h"

#include <algorithm>
#include <cmath>

#include "core/interrupt.h"

namespace verbund {
namespace {

constexpr double kBeam = 25;
constexpr int32_t kUnreachable = 1 << 30;

}  // namespace

EditDistance::EditDistance(std::span<const Symbol> reference, size_t hypothesis_length)
    : reference_(reference), above_(reference.size() + 2), costs_(reference.size() + 2) {
  const auto columns = static_cast<double>(reference.size() + 1);
  const double ratio =
      hypothesis_length > 0 ? static_cast<double>(reference.size()) / static_cast<double>(hypothesis_length) : 1.0;
  // If the lengths differ much, rows must be long enough to overlap.
  const double beam = kBeam < ratio / 2 ? std::ceil(ratio / 2 + kBeam) : kBeam;
  rows_.push_back({0, reference.size() + 1, 0});
  for (size_t i = 1; i <= hypothesis_length; ++i) {
    const double diagonal = std::floor(static_cast<double>(i) * ratio);
    const double end = i == hypothesis_length ? columns : std::min(columns, diagonal + beam);
    rows_.push_back({static_cast<size_t>(std::max(0.0, diagonal - beam)), static_cast<size_t>(end),
                     rows_.back().offset + (rows_.back().end - rows_.back().begin)});
  }
  kept_costs_.resize(rows_.back().offset + (rows_.back().end - rows_.back().begin));
  kept_edits_.resize(kept_costs_.size());
  for (size_t j = 0; j <= reference.size(); ++j) {
    kept_costs_[j] = static_cast<int32_t>(j);
    kept_edits_[j] = Edit::kInsert;
  }
}

int32_t EditDistance::set_hypothesis(std::span<const Symbol> hypothesis) {
  std::copy_n(kept_costs_.begin(), reference_.size() + 1, costs_.begin() + 1);
  bound(0, costs_);
  for (size_t i = 1; i <= hypothesis.size(); ++i) {
    check_interrupt_now_and_then(i);
    above_.swap(costs_);
    fill(i, hypothesis[i - 1], above_, costs_, kept_edits_.data() + row(i).offset);
    std::copy(costs_.begin() + static_cast<std::ptrdiff_t>(row(i).begin) + 1,
              costs_.begin() + static_cast<std::ptrdiff_t>(row(i).end) + 1,
              kept_costs_.begin() + static_cast<std::ptrdiff_t>(row(i).offset));
  }
  return kept_costs_.back();
}

int32_t EditDistance::distance(std::span<const Symbol> hypothesis, size_t same) {
  const Row& first = row(same);
  std::copy_n(kept_costs_.begin() + static_cast<std::ptrdiff_t>(first.offset), first.end - first.begin,
              costs_.begin() + static_cast<std::ptrdiff_t>(first.begin) + 1);
  bound(same, costs_);
  for (size_t i = same + 1; i <= hypothesis.size(); ++i) {
    check_interrupt_now_and_then(i);
    above_.swap(costs_);
    fill(i, hypothesis[i - 1], above_, costs_, nullptr);
  }
  return costs_[reference_.size() + 1];
}

// Marks the cells beside this row that the next row may read as unreachable.
void EditDistance::bound(size_t i, Costs& costs) const {
  costs[row(i).begin] = kUnreachable;
  if (i + 1 == rows_.size()) return;
  for (size_t j = row(i).end; j < row(i + 1).end; ++j) costs[j + 1] = kUnreachable;
}

// Among edits of equal cost, keeping or substituting a word wins over deleting, and deleting over inserting.
void EditDistance::fill(size_t i, Symbol word, const Costs& above, Costs& costs, Edit* edits) const {
  const auto [begin, end, offset] = row(i);
  costs[begin] = kUnreachable;
  for (size_t j = begin; j < end; ++j) {
    int32_t cost = above[j + 1] + 1;
    Edit edit = Edit::kDelete;
    if (j > 0) {
      const bool keeps = word == reference_[j - 1];
      const int32_t diagonal = above[j] + (keeps ? 0 : 1);
      if (diagonal <= cost) {
        cost = diagonal;
        edit = keeps ? Edit::kKeep : Edit::kSubstitute;
      }
      if (costs[j] + 1 < cost) {
        cost = costs[j] + 1;
        edit = Edit::kInsert;
      }
    }
    costs[j + 1] = cost;
    if (edits != nullptr) edits[j - begin] = edit;
  }
  bound(i, costs);
}

std::vector<Edit> EditDistance::edits() const {
  std::vector<Edit> edits;
  size_t i = rows_.size() - 1, j = reference_.size();
  while (i > 0 || j > 0) {
    const Edit edit = kept_edits_[row(i).offset + (j - row(i).begin)];
    edits.push_back(edit);
    if (edit != Edit::kInsert) --i;
    if (edit != Edit::kDelete) --j;
  }
  std::ranges::reverse(edits);
  return edits;
}

}  // namespace verbund
