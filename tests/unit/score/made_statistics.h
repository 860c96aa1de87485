// SPDX-License-Identifier: Apache-2.0
// Statistics of two systems that differ in places, by formulas that another program can reproduce.
#pragma once

#include <vector>

#include "score/bleu.h"
#include "score/chrf.h"

namespace verbund {

inline constexpr double kTolerance = 1e-12;  // of scores

inline std::vector<BleuStatistics> made_bleu(size_t segments, int64_t system) {
  std::vector<BleuStatistics> all;
  for (int64_t i = 0; i < static_cast<int64_t>(segments); ++i) {
    BleuStatistics each{.hypothesis_length = 8 + i * 7 % 11, .reference_length = 9 + i * 5 % 10};
    for (int64_t n = 0; n < static_cast<int64_t>(kBleuOrder); ++n) {
      each.totals[static_cast<size_t>(n)] = each.hypothesis_length - n;
      each.counts[static_cast<size_t>(n)] = (i * i + 3 * i + system * (i % 13)) % 8 / (n + 1);
    }
    all.push_back(each);
  }
  return all;
}

inline std::vector<ChrfStatistics> made_chrf(size_t segments, int64_t system) {
  std::vector<ChrfStatistics> all;
  for (int64_t i = 0; i < static_cast<int64_t>(segments); ++i) {
    ChrfStatistics each;
    for (int64_t n = 0; n < 6; ++n) {
      const int64_t hypothesis = 30 + i * 7 % 31 - n, reference = 32 + i * 5 % 29 - n;
      each.orders.push_back({hypothesis, reference, (i * i + 3 * i + system * (i % 13)) % 28 / (n + 1)});
    }
    all.push_back(each);
  }
  return all;
}

}  // namespace verbund
