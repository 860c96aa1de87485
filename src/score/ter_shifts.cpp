// SPDX-License-Identifier: Apache-2.0
// Search for the shifts of words that reduce the edits of TER, as in tercom.
#include <algorithm>
#include <tuple>

#include "core/interrupt.h"
#include "score/edit_distance.h"
#include "score/ter.h"

namespace verbund {
namespace {

// These limits are part of TER's definition.
constexpr size_t kLongestShift = 10, kFarthestShift = 50;
constexpr int kMaxCandidates = 1000;

// Moves words [start, start + length) of the hypothesis to `target`, which saves `gain` edits.
struct Shift {
  int32_t gain = 0;
  size_t length = 0, start = 0, target = 0;

  // The largest gain, then the longest, then from the leftmost place, then to the leftmost.
  bool is_better_than(const Shift& other) const {
    return std::tuple(gain, length, other.start, other.target) > std::tuple(other.gain, other.length, start, target);
  }
};

// The first word that changes its place.
size_t first_moved(const Shift& shift) { return std::min(shift.start, shift.target); }

void perform(const Shift& shift, const Symbols& words, Symbols& result) {
  result = words;
  const auto at = [&](size_t position) {
    return result.begin() + static_cast<std::ptrdiff_t>(std::min(position, result.size()));
  };
  const size_t end = shift.start + shift.length;
  if (shift.target < shift.start) {
    std::rotate(at(shift.target), at(shift.start), at(end));
  } else if (shift.target > end) {
    std::rotate(at(shift.start), at(end), at(shift.target));
  } else {  // a target among the moved words is counted without them
    std::rotate(at(shift.start), at(end), at(shift.target + shift.length));
  }
}

// The hypothesis word that each reference word is aligned to, and the wrong words of both.
struct Alignment {
  explicit Alignment(const std::vector<Edit>& edits) {
    int64_t position = -1;
    for (const Edit edit : edits) {
      const bool wrong = edit != Edit::kKeep;
      if (edit != Edit::kInsert) {
        ++position;
        hypothesis_errors.push_back(hypothesis_errors.back() + (wrong ? 1 : 0));
      }
      if (edit != Edit::kDelete) {
        of_reference.push_back(position);
        reference_errors.push_back(reference_errors.back() + (wrong ? 1 : 0));
      }
    }
  }

  static bool has_errors(const std::vector<size_t>& errors, size_t start, size_t length) {
    return errors[start + length] > errors[start];
  }

  std::vector<int64_t> of_reference;                                    // -1: before the first
  std::vector<size_t> hypothesis_errors = {0}, reference_errors = {0};  // among the first so many words
};

class ShiftSearch {
 public:
  ShiftSearch(const Symbols& hypothesis, const Symbols& reference)
      : words_(hypothesis), reference_(reference), distance_(reference_, hypothesis.size()) {}

  int64_t edits() {
    int64_t shifts = 0;
    for (;; ++shifts) {
      now_ = distance_.set_hypothesis(words_);
      const Shift best = best_shift();
      if (candidates_ >= kMaxCandidates || best.gain <= 0) return shifts + now_;
      perform(best, words_, shifted_);
      words_.swap(shifted_);
    }
  }

 private:
  // The best shift of all runs of words that the reference has elsewhere.
  Shift best_shift() {
    const Alignment alignment(distance_.edits());
    Shift best;
    for (size_t start = 0; start < words_.size(); ++start) {
      check_interrupt_now_and_then(start);
      const size_t last = std::min(reference_.size(), start + kFarthestShift + 1);
      for (size_t there = start - std::min(start, kFarthestShift); there < last; ++there) {
        const size_t longest = std::min({kLongestShift, words_.size() - start, reference_.size() - there});
        for (size_t length = 1; length <= longest; ++length) {
          if (words_[start + length - 1] != reference_[there + length - 1]) break;
          if (!is_worth_trying(alignment, start, there, length)) continue;
          try_places(alignment, start, there, length, best);
          if (candidates_ >= kMaxCandidates) return best;
        }
      }
    }
    return best;
  }

  // Both places have errors, and the words do not overlap with their target.
  static bool is_worth_trying(const Alignment& alignment, size_t start, size_t there, size_t length) {
    if (!Alignment::has_errors(alignment.hypothesis_errors, start, length)) return false;
    if (!Alignment::has_errors(alignment.reference_errors, there, length)) return false;
    const int64_t aligned = alignment.of_reference[there];
    return aligned < static_cast<int64_t>(start) || aligned >= static_cast<int64_t>(start + length);
  }

  // Tries the places before the words aligned to the reference's, and after each of them.
  void try_places(const Alignment& alignment, size_t start, size_t there, size_t length, Shift& best) {
    int64_t last_target = -1;
    for (size_t offset = 0; offset <= length; ++offset) {
      const int64_t target = there + offset == 0 ? 0 : alignment.of_reference[there + offset - 1] + 1;
      if (target == last_target) continue;
      last_target = target;
      Shift shift = {0, length, start, static_cast<size_t>(target)};
      perform(shift, words_, shifted_);
      shift.gain = now_ - distance_.distance(shifted_, first_moved(shift));
      ++candidates_;
      if (best.length == 0 || shift.is_better_than(best)) best = shift;
    }
  }

  Symbols words_, shifted_;
  const Symbols& reference_;
  EditDistance distance_;
  int32_t now_ = 0;  // edits without another shift
  int candidates_ = 0;
};

}  // namespace

int64_t edits_with_shifts(const Symbols& hypothesis, const Symbols& reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace verbund
