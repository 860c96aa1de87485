// How a score is shown: sacreBLEU's line for people and papers, JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "score/bleu.h"
#include "score/chrf.h"

namespace verbund {

// What all metrics have to tell; a new metric needs a `report` of its own and no more.
struct ScoreReport {
  std::string name;
  double score = 0.0;
  std::string signature;
  std::string verbose;             // what stands behind the score in the line; may be empty
  nlohmann::ordered_json numbers;  // the exact values behind `verbose`; an object
};

ScoreReport report(const BleuScore& score);
ScoreReport report(const ChrfScore& score);

// "BLEU|nrefs:1|...|version:2.5.1 = 28.3 59.9/34.0/21.8/14.4 (BP = 1.000 ...)" with
// `width` decimals for the score.
std::string score_line(const ScoreReport& report, int width);

// The fields of sacreBLEU's JSON (the parts of the signature are strings there too), and
// the numbers; the score is not rounded.
nlohmann::ordered_json score_json(const ScoreReport& report);

}  // namespace verbund
