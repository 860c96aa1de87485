// SPDX-License-Identifier: Apache-2.0
// ScoreReport shows a score: as sacreBLEU's line for people and papers, as JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "core/json.h"
#include "score/bleu.h"
#include "score/chrf.h"
#include "score/ter.h"

namespace verbund {

// Interval of the scores of resampled test sets: about 95 per cent lie within mean - half_width and mean + half_width.
struct ScoreInterval {
  double mean = 0, half_width = 0;
};

// The common form of all scores; a new metric only needs a `report` of its own.
struct ScoreReport {
  std::string name;
  double score = 0.0;
  std::string signature;
  std::optional<ScoreInterval> interval;
  std::string verbose;  // text after the score in the line; may be empty
  Json numbers;         // the exact values behind `verbose`; an object
};

ScoreReport report(const BleuScore& score);
ScoreReport report(const ChrfScore& score);
ScoreReport report(const TerScore& score);

// "28.3", or "28.3 (μ = 28.3 ± 0.5)", with `width` decimals.
std::string score_text(const ScoreReport& report, int width);

// "BLEU|nrefs:1|...|version:2.5.1 = 28.3 59.9/34.0/21.8/14.4 (BP = 1.000 ...)" with
// `width` decimals for the score.
std::string score_line(const ScoreReport& report, int width);

// The fields of sacreBLEU's JSON (where the parts of the signature are strings, too) and the numbers, which are only
// rounded in "confidence", the text in brackets.
Json score_json(const ScoreReport& report, int width = 1);

}  // namespace verbund
