// SPDX-License-Identifier: Apache-2.0
// chrF (Popovic, 2015) as sacreBLEU defines it: the F-score of the character n-grams of a translation; chrF++ adds
// words and pairs of words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "score/segments.h"

namespace verbund {

struct ChrfOptions {
  int char_order = 6;          // the longest character n-grams
  int word_order = 0;          // the longest word n-grams; 2 for chrF++
  int beta = 2;                // weight of recall relative to precision
  bool lowercase = false;      // ignore case
  bool whitespace = false;     // count spaces as characters too
  bool eps_smoothing = false;  // orders without n-grams count as almost 0, instead of not at all
};

struct NgramStatistics {
  int64_t hypothesis = 0;  // n-grams of the hypothesis; 0 if the reference has none
  int64_t reference = 0;
  int64_t matches = 0;  // n-grams in common
};

// The sufficient statistics of a segment: the orders of characters, then those of words. Their sum is that of a corpus.
struct ChrfStatistics {
  std::vector<NgramStatistics> orders;

  ChrfStatistics& operator+=(const ChrfStatistics& other);
};

// The statistics as a row of numbers, in the order in which they are kept and exchanged: hypothesis, reference and
// matches of each order. `chrf_statistics_of` fails unless there are three of each.
std::vector<int64_t> columns_of(const ChrfStatistics& statistics);
ChrfStatistics chrf_statistics_of(std::span<const int64_t> columns);

struct ChrfScore {
  double score = 0.0;  // 0 to 100
  std::string name;    // chrF2, chrF2++
  ChrfStatistics statistics;
  std::string signature;  // "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:..."
};

// One element per segment. Of several references, the one with the best score counts.
std::vector<ChrfStatistics> chrf_statistics(const Segments& hypotheses, const References& references,
                                            const ChrfOptions& options = {});

// The score of one segment's statistics, or of the sum of many.
ChrfScore chrf_score(const ChrfStatistics& statistics, size_t reference_count, const ChrfOptions& options = {});

// The score of sums of columns; also in single precision, in which bootstrap tests are published.
double chrf_of_sums(std::span<const double> sums, const ChrfOptions& options = {});
double chrf_of_sums(std::span<const float> sums, const ChrfOptions& options = {});

ChrfScore corpus_chrf(const Segments& hypotheses, const References& references, const ChrfOptions& options = {});

}  // namespace verbund
