// SPDX-License-Identifier: Apache-2.0
#include "score/ter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interrupt.h"
#include "score/segments.h"

namespace verbund {
namespace {

class TerCounter {
 public:
  explicit TerCounter(const TerOptions& options) : options_(options) {}

  TerStatistics count(const std::string& hypothesis, const References& references, size_t segment) {
    const Symbols words = words_of(tokenize_line(hypothesis));
    TerStatistics statistics = {.edits = INT64_MAX};
    for (const Segments& each : references) {
      // References are tokenised twice by definition.
      const Symbols reference = words_of(tokenize_line(joined(tokenize_line(each[segment]))));
      statistics.edits = std::min(statistics.edits, edits_with_shifts(words, reference));
      statistics.reference_length += static_cast<double>(reference.size());
    }
    statistics.reference_length /= static_cast<double>(references.size());
    return statistics;
  }

 private:
  std::string tokenize_line(std::string_view line) const { return tokenize_tercom(trim_right(line), options_); }

  std::string joined(std::string_view text) {
    split_words(text, words_);
    return fmt::format("{}", fmt::join(words_, " "));
  }

  Symbols words_of(std::string_view text) {
    split_words(text, words_);
    Symbols symbols;
    symbols.reserve(words_.size());
    for (const std::string_view word : words_) {
      check_interrupt_now_and_then(symbols.size());
      symbols.push_back(symbols_.number_of(word));
    }
    return symbols;
  }

  const TerOptions& options_;
  SymbolTable symbols_;
  std::vector<std::string_view> words_;
};

template <typename Real>
Real of_sums(Real edits, Real reference_length) {
  if (reference_length > 0) return 100 * (edits / reference_length);
  return edits > 0 ? 100 : 0;
}

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string signature(const TerOptions& options, size_t reference_count) {
  return fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|version:{}", reference_count,
                     options.case_sensitive ? "mixed" : "lc", yes_or_no(options.normalized),
                     yes_or_no(!options.no_punctuation), yes_or_no(options.asian_support), kSacrebleuVersion);
}

}  // namespace

TerStatistics& TerStatistics::operator+=(const TerStatistics& other) {
  edits += other.edits;
  reference_length += other.reference_length;
  return *this;
}

std::array<double, 2> columns_of(const TerStatistics& statistics) {
  return {static_cast<double>(statistics.edits), statistics.reference_length};
}

std::vector<TerStatistics> ter_statistics(const Segments& hypotheses, const References& references,
                                          const TerOptions& options) {
  return count_segments(TerCounter(options), hypotheses, references);
}

TerScore ter_score(const TerStatistics& statistics, size_t reference_count, const TerOptions& options) {
  return {.score = ter_of_sums(std::span<const double>(columns_of(statistics))),
          .statistics = statistics,
          .signature = signature(options, reference_count)};
}

double ter_of_sums(std::span<const double> sums) { return of_sums(sums[0], sums[1]); }
double ter_of_sums(std::span<const float> sums) { return of_sums(sums[0], sums[1]); }

}  // namespace verbund
