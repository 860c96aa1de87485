// How a score is shown: sacreBLEU's line for people and papers, JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "score/bleu.h"
#include "score/chrf.h"
#include "score/ter.h"

namespace verbund {

// Of the scores of resampled test sets: roughly, 95 per cent lie within mean - half_width and mean + half_width.
struct ScoreInterval {
  double mean = 0, half_width = 0;
};

// What all metrics have to tell; a new metric needs a `report` of its own and no more.
struct ScoreReport {
  std::string name;
  double score = 0.0;
  std::string signature;
  std::optional<ScoreInterval> interval;
  std::string verbose;             // what stands behind the score in the line; may be empty
  nlohmann::ordered_json numbers;  // the exact values behind `verbose`; an object
};

ScoreReport report(const BleuScore& score);
ScoreReport report(const ChrfScore& score);
ScoreReport report(const TerScore& score);

// "28.3", or "28.3 (μ = 28.3 ± 0.5)", with `width` decimals.
std::string score_text(const ScoreReport& report, int width);

// "BLEU|nrefs:1|...|version:2.5.1 = 28.3 59.9/34.0/21.8/14.4 (BP = 1.000 ...)" with
// `width` decimals for the score.
std::string score_line(const ScoreReport& report, int width);

// The fields of sacreBLEU's JSON (the parts of the signature are strings there too), and
// the numbers; they are not rounded, but in "confidence", the text in brackets.
nlohmann::ordered_json score_json(const ScoreReport& report, int width = 1);

}  // namespace verbund
