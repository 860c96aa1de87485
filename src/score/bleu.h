// SPDX-License-Identifier: Apache-2.0
// BLEU (Papineni et al., 2002) as sacreBLEU defines it: the precision of a translation's 1- to 4-grams, times a penalty
// for brevity.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/segments.h"
#include "score/tokenizer.h"

namespace verbund {

inline constexpr size_t kBleuOrder = 4;

// The contribution of an order without matches, which would make the score zero.
enum class Smoothing {
  kNone,         // none: the score is zero
  kFloor,        // a small number of matches (0.1)
  kAddK,         // every order but the first gets k (1) more matches and n-grams
  kExponential,  // half a match, for the next such order a quarter, and so on
};

// The name as the signature of a score spells it: none, floor, add-k, exp.
std::string_view smoothing_name(Smoothing smoothing);
Smoothing smoothing_named(std::string_view name);

struct BleuOptions {
  Tokenizer tokenizer = Tokenizer::k13a;
  bool lowercase = false;  // ignore case
  Smoothing smoothing = Smoothing::kExponential;
  std::optional<double> smoothing_value;  // of floor and add-k; absent: their default
  bool effective_order = false;           // leave out orders that the hypothesis is too short for
};

// The sufficient statistics of a segment. Their sum is that of a corpus, so segments may be counted anywhere.
struct BleuStatistics {
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;              // of the reference with the nearest length
  std::array<int64_t, kBleuOrder> counts{};  // n-grams found in a reference
  std::array<int64_t, kBleuOrder> totals{};  // n-grams of the hypothesis

  BleuStatistics& operator+=(const BleuStatistics& other);
};

// The statistics as a row of numbers, in the order in which they are kept and exchanged: length of the hypothesis, of
// the reference, counts, totals. `bleu_statistics_of` fails if their number is wrong.
inline constexpr size_t kBleuColumns = 2 + 2 * kBleuOrder;
std::array<int64_t, kBleuColumns> columns_of(const BleuStatistics& statistics);
BleuStatistics bleu_statistics_of(std::span<const int64_t> columns);

struct BleuScore {
  double score = 0.0;                           // 0 to 100
  std::array<double, kBleuOrder> precisions{};  // per cent, smoothed
  double brevity_penalty = 1.0;
  BleuStatistics statistics;  // as counted, before any smoothing
  std::string signature;      // "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:..."
};

// One element per segment.
std::vector<BleuStatistics> bleu_statistics(const Segments& hypotheses, const References& references,
                                            const BleuOptions& options = {});

// The score of one segment's statistics, or of the sum of many.
BleuScore bleu_score(const BleuStatistics& statistics, size_t reference_count, const BleuOptions& options = {});

// The score of sums of columns; also in single precision, in which bootstrap tests are published.
double bleu_of_sums(std::span<const double> sums, const BleuOptions& options = {});
double bleu_of_sums(std::span<const float> sums, const BleuOptions& options = {});

BleuScore corpus_bleu(const Segments& hypotheses, const References& references, const BleuOptions& options = {});

}  // namespace verbund
