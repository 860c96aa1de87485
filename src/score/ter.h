// SPDX-License-Identifier: Apache-2.0
// TER (Snover et al., 2006) as sacreBLEU defines it: the edits per reference word that turn a translation into its
// reference, where moving several words together counts as one edit. Lower is better.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "score/segments.h"
#include "score/tokenizer.h"

namespace verbund {

// The sufficient statistics of a segment; their sum is that of a corpus.
struct TerStatistics {
  int64_t edits = 0;            // of the reference that needs fewest
  double reference_length = 0;  // mean of all references

  TerStatistics& operator+=(const TerStatistics& other);
};

// The statistics as a row of numbers.
std::array<double, 2> columns_of(const TerStatistics& statistics);

struct TerScore {
  double score = 0;  // per cent; may exceed 100
  TerStatistics statistics;
  std::string signature;  // "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:..."
};

// The number of shifts of words, as long as they help, plus the remaining edits.
int64_t edits_with_shifts(const Symbols& hypothesis, const Symbols& reference);

// One element per segment.
std::vector<TerStatistics> ter_statistics(const Segments& hypotheses, const References& references,
                                          const TerOptions& options = {});

TerScore ter_score(const TerStatistics& statistics, size_t reference_count, const TerOptions& options = {});

// The score of sums of columns; also in single precision, in which bootstrap tests are published.
double ter_of_sums(std::span<const double> sums);
double ter_of_sums(std::span<const float> sums);

}  // namespace verbund
