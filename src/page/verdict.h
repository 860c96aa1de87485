// SPDX-License-Identifier: Apache-2.0
// Verdict is the answer to one question about a run, with its evidence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/chart.h"
#include "statistics/quantile.h"

namespace verbund {

enum class Grade { kGood, kNeutral, kBad, kCannotTell };
const char* grade_name(Grade finding);  // "good", "neutral", "bad", "cannot tell"

// A number of the evidence.
struct Figure {
  std::string name;                 // "median step time"
  double value = 0;                 // NaN: unknown
  std::string unit;                 // "s", "MB", "%", ""
  std::optional<double> low, high;  // interval
  std::string interval;             // its kind: "80 % interval, block bootstrap"
  bool in_full = false;             // a step: a name rather than an amount, so no digit is left out
};

Figure figure(std::string name, double value, std::string unit);
Figure figure(std::string name, double value, std::string unit, Bounds bounds, std::string interval);
Figure step_figure(std::string name, double step);

std::string value_text(const Figure& figure);     // "12.3 s"
std::string interval_text(const Figure& figure);  // "11.9 to 12.8"; "" if there is none

// A sentence of the dev set, and how it was translated.
struct SampleSentence {
  std::string name;  // "sentence 12 of 200"
  std::string source, reference, translation;
  double bleu = 0;
};

struct Verdict {
  std::string id;        // "how_long"
  std::string question;  // "How long did the run take?"
  Grade finding = Grade::kNeutral;
  std::string sentence;  // the answer, in plain words; begins with "Cannot tell, because" if so
  std::string in_short;  // of a bad finding, for the summary of the page; "": said elsewhere
  std::vector<Figure> figures;
  std::vector<Chart> charts;
  std::vector<SampleSentence> samples;
  std::string rule;          // how it was decided
  std::string would_change;  // how to change the result

  void add(std::string name, double value, std::string unit);  // a figure
  void add(std::string name, double value, std::string unit, Bounds bounds, std::string interval);
};

// A verdict without an answer yet.
Verdict ask(std::string id, std::string question);
inline constexpr std::string_view kCannotTellBecause = "Cannot tell, because ";
inline constexpr const char* kNotImported = "an imported run has no record of that.";
// Answers kCannotTellBecause and the reason.
Verdict& cannot_tell(Verdict& verdict, const std::string& reason);

}  // namespace verbund
