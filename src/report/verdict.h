// The answer to one of the questions that a run raises, with its evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/chart.h"

namespace verbund {

enum class Grade { kGood, kNeutral, kBad, kCannotTell };

// A number of the evidence.
struct Figure {
  std::string name;                 // "median step time"
  double value = 0;                 // NaN: unknown
  std::string unit;                 // "s", "MB", "%", ""
  std::optional<double> low, high;  // interval
  std::string interval;             // what kind: "80 % interval, block bootstrap"
};

struct Verdict {
  std::string id;        // "how_long"
  std::string question;  // "How long did the run take?"
  Grade finding = Grade::kNeutral;
  std::string sentence;  // the answer, in plain words; begins with "Cannot tell, because" if so
  std::vector<Figure> figures;
  std::vector<Chart> charts;
  std::string rule;          // how it was decided
  std::string would_change;  // what would change the verdict
};

// "good", "neutral", "bad", "cannot tell"
const char* grade_name(Grade finding);

}  // namespace verbund
