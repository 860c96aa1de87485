// SPDX-License-Identifier: Apache-2.0
#include "score/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "core/interrupt.h"
#include "score/ngram_matcher.h"
#include "score/segments.h"

namespace verbund {
namespace {

constexpr std::pair<std::string_view, Smoothing> kSmoothingNames[] = {{"none", Smoothing::kNone},
                                                                      {"floor", Smoothing::kFloor},
                                                                      {"add-k", Smoothing::kAddK},
                                                                      {"exp", Smoothing::kExponential}};

// Counts one segment after another; tokens keep their numbers.
class BleuCounter {
 public:
  explicit BleuCounter(const BleuOptions& options) : options_(options) {}

  BleuStatistics count(const std::string& hypothesis, const References& references, size_t segment) {
    const Symbols tokens = tokens_of(hypothesis);
    reference_tokens_.clear();
    for (const Segments& reference : references) reference_tokens_.push_back(tokens_of(reference[segment]));

    BleuStatistics statistics;
    statistics.hypothesis_length = static_cast<int64_t>(tokens.size());
    statistics.reference_length = nearest_reference_length(statistics.hypothesis_length);
    for (size_t n = 1; n <= kBleuOrder; ++n) statistics.totals[n - 1] = ngram_count(tokens.size(), n);
    matcher_.add_matches(tokens, reference_tokens_, statistics.counts);
    return statistics;
  }

 private:
  Symbols tokens_of(const std::string& line) {
    const std::string text = options_.lowercase ? tokenize_line(lower_case(line)) : tokenize_line(line);
    split_words(text, words_);
    Symbols tokens;
    tokens.reserve(words_.size());
    for (const std::string_view word : words_) {
      check_interrupt_now_and_then(tokens.size());
      tokens.push_back(symbols_.number_of(word));
    }
    return tokens;
  }

  std::string tokenize_line(std::string_view line) const { return tokenize(options_.tokenizer, trim_right(line)); }

  // The smaller of two equally near lengths.
  int64_t nearest_reference_length(int64_t length) const {
    int64_t nearest = -1;
    for (const Symbols& reference : reference_tokens_) {
      const auto candidate = static_cast<int64_t>(reference.size());
      const int64_t distance = std::abs(candidate - length), best = std::abs(nearest - length);
      if (nearest < 0 || distance < best || (distance == best && candidate < nearest)) nearest = candidate;
    }
    return nearest;
  }

  const BleuOptions& options_;
  SymbolTable symbols_;
  NgramMatcher matcher_;
  std::vector<std::string_view> words_;
  std::vector<Symbols> reference_tokens_;
};

double smoothing_value(const BleuOptions& options) {
  return options.smoothing_value.value_or(options.smoothing == Smoothing::kFloor ? 0.1 : 1.0);
}

std::string signature(const BleuOptions& options, size_t reference_count) {
  std::string smooth(smoothing_name(options.smoothing));
  if (options.smoothing == Smoothing::kFloor || options.smoothing == Smoothing::kAddK) {
    smooth += fmt::format("[{:.2f}]", smoothing_value(options));
  }
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:{}", reference_count,
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     tokenizer_name(options.tokenizer), smooth, kSacrebleuVersion);
}

double brevity_penalty(int64_t hypothesis_length, int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1.0;
  if (hypothesis_length == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

template <typename Real>
using PerOrder = std::array<Real, kBleuOrder>;

// Computes the smoothed precisions, in per cent, and returns their geometric mean. They have the precision of the
// counts, their logarithms are double.
template <typename Real>
double mean_precision(PerOrder<Real> counts, PerOrder<Real> totals, const BleuOptions& options,
                      PerOrder<Real>& precisions) {
  precisions = {};
  // Without a common word, the score is zero whatever the smoothing.
  if (std::ranges::count(counts, Real{0}) == kBleuOrder) return 0.0;

  Real halvings = 1;
  size_t order = kBleuOrder;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    if (options.smoothing == Smoothing::kAddK && n > 0) {
      counts[n] += static_cast<Real>(smoothing_value(options));
      totals[n] += static_cast<Real>(smoothing_value(options));
    }
    if (totals[n] == 0) break;
    if (options.effective_order) order = n + 1;
    if (counts[n] > 0) {
      precisions[n] = 100 * counts[n] / totals[n];
    } else if (options.smoothing == Smoothing::kExponential) {
      precisions[n] = 100 / ((halvings *= 2) * totals[n]);
    } else if (options.smoothing == Smoothing::kFloor) {
      precisions[n] = static_cast<Real>(100.0 * smoothing_value(options)) / totals[n];
    }
  }
  // log(0) is minus infinity and makes the mean zero.
  double sum = 0.0;
  for (size_t n = 0; n < order; ++n) sum += std::log(static_cast<double>(precisions[n]));
  return std::exp(sum / static_cast<double>(order));
}

template <typename Real>
double of_sums(std::span<const Real> sums, const BleuOptions& options) {
  PerOrder<Real> counts, totals, precisions;
  std::copy_n(sums.begin() + 2, kBleuOrder, counts.begin());
  std::copy_n(sums.begin() + 2 + kBleuOrder, kBleuOrder, totals.begin());
  return brevity_penalty(static_cast<int64_t>(sums[0]), static_cast<int64_t>(sums[1])) *
         mean_precision(counts, totals, options, precisions);
}

}  // namespace

std::string_view smoothing_name(Smoothing smoothing) {
  for (const auto& [name, value] : kSmoothingNames) {
    if (value == smoothing) return name;
  }
  fail("unknown smoothing {}", static_cast<int>(smoothing));
}

Smoothing smoothing_named(std::string_view name) {
  for (const auto& [known, value] : kSmoothingNames) {
    if (known == name) return value;
  }
  fail_usage("unknown smoothing {}: choose exp, floor, add-k or none", name);
}

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    counts[n] += other.counts[n];
    totals[n] += other.totals[n];
  }
  return *this;
}

std::array<int64_t, kBleuColumns> columns_of(const BleuStatistics& statistics) {
  std::array<int64_t, kBleuColumns> columns{statistics.hypothesis_length, statistics.reference_length};
  std::ranges::copy(statistics.counts, columns.begin() + 2);
  std::ranges::copy(statistics.totals, columns.begin() + 2 + kBleuOrder);
  return columns;
}

BleuStatistics bleu_statistics_of(std::span<const int64_t> columns) {
  if (columns.size() != kBleuColumns) {
    fail("expected {} BLEU statistics per segment, found {}", kBleuColumns, columns.size());
  }
  BleuStatistics statistics{.hypothesis_length = columns[0], .reference_length = columns[1]};
  std::copy_n(columns.begin() + 2, kBleuOrder, statistics.counts.begin());
  std::copy_n(columns.begin() + 2 + kBleuOrder, kBleuOrder, statistics.totals.begin());
  return statistics;
}

std::vector<BleuStatistics> bleu_statistics(const Segments& hypotheses, const References& references,
                                            const BleuOptions& options) {
  return count_segments(BleuCounter(options), hypotheses, references);
}

BleuScore bleu_score(const BleuStatistics& statistics, size_t reference_count, const BleuOptions& options) {
  BleuScore result;
  result.statistics = statistics;
  result.signature = signature(options, reference_count);
  result.brevity_penalty = brevity_penalty(statistics.hypothesis_length, statistics.reference_length);
  PerOrder<double> counts, totals;
  std::ranges::copy(statistics.counts, counts.begin());
  std::ranges::copy(statistics.totals, totals.begin());
  result.score = result.brevity_penalty * mean_precision(counts, totals, options, result.precisions);
  return result;
}

double bleu_of_sums(std::span<const double> sums, const BleuOptions& options) { return of_sums(sums, options); }
double bleu_of_sums(std::span<const float> sums, const BleuOptions& options) { return of_sums(sums, options); }

BleuScore corpus_bleu(const Segments& hypotheses, const References& references, const BleuOptions& options) {
  BleuStatistics sum;
  for (const BleuStatistics& segment : bleu_statistics(hypotheses, references, options)) sum += segment;
  return bleu_score(sum, references.size(), options);
}

}  // namespace verbund
