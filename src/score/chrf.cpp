// SPDX-License-Identifier: Apache-2.0
#include "score/chrf.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/utf8.h"
#include "score/ngram_matcher.h"
#include "score/segments.h"

namespace verbund {
namespace {

// Computed in the precision of the sums.
template <typename Real>
Real f_score(std::span<const Real> sums, const ChrfOptions& options) {
  constexpr Real kEpsilon = static_cast<Real>(1e-16);
  const Real factor = static_cast<Real>(options.beta) * static_cast<Real>(options.beta);
  Real sum_of_f = 0, precision_sum = 0, recall_sum = 0;
  int effective_order = 0;
  for (size_t i = 0; i < sums.size(); i += 3) {
    const Real hypothesis = sums[i], reference = sums[i + 1], matches = sums[i + 2];
    const Real precision = hypothesis > 0 ? matches / hypothesis : kEpsilon;
    const Real recall = reference > 0 ? matches / reference : kEpsilon;
    const Real denominator = factor * precision + recall;
    sum_of_f += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (hypothesis > 0 && reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++effective_order;
    }
  }
  const size_t orders = sums.size() / 3;  // three columns each
  // The two variants differ in more than the orders: a mean of F-scores, or the F-score of mean precision and recall.
  if (options.eps_smoothing) return 100 * sum_of_f / static_cast<Real>(orders);
  if (precision_sum + recall_sum == 0) return 0;
  const Real order = static_cast<Real>(effective_order);
  const Real precision = precision_sum / order, recall = recall_sum / order;
  return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

double f_score(const ChrfStatistics& statistics, const ChrfOptions& options) {
  const std::vector<int64_t> columns = columns_of(statistics);
  const std::vector<double> sums(columns.begin(), columns.end());
  return f_score(std::span<const double>(sums), options);
}

bool is_ascii_punctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

class ChrfCounter {
 public:
  explicit ChrfCounter(const ChrfOptions& options)
      : options_(options),
        char_order_(static_cast<size_t>(options.char_order)),
        word_order_(static_cast<size_t>(options.word_order)) {}

  ChrfStatistics count(const std::string& hypothesis, const References& references, size_t segment) {
    const Sequences sequences = sequences_of(hypothesis);
    ChrfStatistics best;
    double best_score = -1.0;
    for (const Segments& reference : references) {
      ChrfStatistics statistics = compare(sequences, sequences_of(reference[segment]));
      // With one reference there is nothing to choose.
      const double score = references.size() == 1 ? 0.0 : f_score(statistics, options_);
      if (score > best_score) {
        best_score = score;
        best = std::move(statistics);
      }
    }
    return best;
  }

 private:
  struct Sequences {
    Symbols characters;
    Symbols words;
  };

  Sequences sequences_of(const std::string& line) {
    return options_.lowercase ? split_line(lower_case(line)) : split_line(line);
  }

  Sequences split_line(std::string_view line) {
    Sequences sequences;
    sequences.characters.reserve(line.size());
    for (size_t position = 0; position < line.size();) {
      check_interrupt_now_and_then(sequences.characters.size());
      const char32_t character = next_code_point(line, position);
      if (options_.whitespace || !is_whitespace(character)) sequences.characters.push_back(character);
    }
    if (word_order_ > 0) {
      split_words(line, words_);
      for (const std::string_view word : words_) {
        check_interrupt_now_and_then(sequences.words.size());
        add_word(word, sequences.words);
      }
    }
    return sequences;
  }

  // ASCII punctuation at the end of a word, or else at its start, is a word of its own:
  // "(hi)" is "(hi" and ")".
  void add_word(std::string_view word, Symbols& words) {
    size_t cut = 0;
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      cut = word.size() - 1;
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      cut = 1;
    }
    if (cut > 0) words.push_back(symbols_.number_of(word.substr(0, cut)));
    words.push_back(symbols_.number_of(word.substr(cut)));
  }

  ChrfStatistics compare(const Sequences& hypothesis, const Sequences& reference) {
    matches_.assign(char_order_ + word_order_, 0);
    const std::span matches(matches_);
    matcher_.add_matches(hypothesis.characters, {&reference.characters, 1}, matches.first(char_order_));
    matcher_.add_matches(hypothesis.words, {&reference.words, 1}, matches.last(word_order_));

    ChrfStatistics statistics;
    statistics.orders.resize(matches_.size());
    for (size_t i = 0; i < matches_.size(); ++i) {
      const bool is_word = i >= char_order_;
      const size_t n = is_word ? i - char_order_ + 1 : i + 1;
      const size_t hypothesis_length = is_word ? hypothesis.words.size() : hypothesis.characters.size();
      const size_t reference_length = is_word ? reference.words.size() : reference.characters.size();
      NgramStatistics& order = statistics.orders[i];
      order.matches = matches_[i];
      order.reference = ngram_count(reference_length, n);
      order.hypothesis = order.reference > 0 ? ngram_count(hypothesis_length, n) : 0;
    }
    return statistics;
  }

  const ChrfOptions& options_;
  const size_t char_order_;
  const size_t word_order_;
  SymbolTable symbols_;
  NgramMatcher matcher_;
  std::vector<std::string_view> words_;
  std::vector<int64_t> matches_;
};

std::string signature(const ChrfOptions& options, size_t reference_count) {
  return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|version:{}", reference_count,
                     options.lowercase ? "lc" : "mixed", options.eps_smoothing ? "no" : "yes", options.char_order,
                     options.word_order, options.whitespace ? "yes" : "no", kSacrebleuVersion);
}

}  // namespace

ChrfStatistics& ChrfStatistics::operator+=(const ChrfStatistics& other) {
  if (orders.empty()) orders.resize(other.orders.size());
  if (orders.size() != other.orders.size()) {
    fail("chrF statistics of {} orders cannot be added to those of {}", other.orders.size(), orders.size());
  }
  for (size_t i = 0; i < orders.size(); ++i) {
    orders[i].hypothesis += other.orders[i].hypothesis;
    orders[i].reference += other.orders[i].reference;
    orders[i].matches += other.orders[i].matches;
  }
  return *this;
}

std::vector<int64_t> columns_of(const ChrfStatistics& statistics) {
  std::vector<int64_t> columns;
  columns.reserve(3 * statistics.orders.size());
  for (const NgramStatistics& order : statistics.orders) {
    columns.insert(columns.end(), {order.hypothesis, order.reference, order.matches});
  }
  return columns;
}

ChrfStatistics chrf_statistics_of(std::span<const int64_t> columns) {
  if (columns.empty() || columns.size() % 3 != 0) {
    fail("expected three chrF statistics per order, found {} in all", columns.size());
  }
  ChrfStatistics statistics;
  for (size_t i = 0; i < columns.size(); i += 3) {
    statistics.orders.push_back({columns[i], columns[i + 1], columns[i + 2]});
  }
  return statistics;
}

std::vector<ChrfStatistics> chrf_statistics(const Segments& hypotheses, const References& references,
                                            const ChrfOptions& options) {
  if (options.char_order < 0 || options.word_order < 0 || options.char_order + options.word_order == 0) {
    fail_usage("chrF needs a character or word order above 0, but has {} and {}", options.char_order,
               options.word_order);
  }
  return count_segments(ChrfCounter(options), hypotheses, references);
}

ChrfScore chrf_score(const ChrfStatistics& statistics, size_t reference_count, const ChrfOptions& options) {
  return {.score = f_score(statistics, options),
          .name = fmt::format("chrF{}{}", options.beta, std::string(static_cast<size_t>(options.word_order), '+')),
          .statistics = statistics,
          .signature = signature(options, reference_count)};
}

double chrf_of_sums(std::span<const double> sums, const ChrfOptions& options) { return f_score(sums, options); }
double chrf_of_sums(std::span<const float> sums, const ChrfOptions& options) { return f_score(sums, options); }

ChrfScore corpus_chrf(const Segments& hypotheses, const References& references, const ChrfOptions& options) {
  ChrfStatistics sum;
  for (const ChrfStatistics& segment : chrf_statistics(hypotheses, references, options)) sum += segment;
  return chrf_score(sum, references.size(), options);
}

}  // namespace verbund
