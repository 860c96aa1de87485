// SPDX-License-Identifier: Apache-2.0
#include "page/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "page/number_format.h"

namespace verbund {

const char* grade_name(Grade finding) {
  switch (finding) {
    case Grade::kGood:
      return "good";
    case Grade::kNeutral:
      return "neutral";
    case Grade::kBad:
      return "bad";
    case Grade::kCannotTell:
      return "cannot tell";
  }
  return "";
}

Figure figure(std::string name, double value, std::string unit) {
  return {std::move(name), value, std::move(unit), std::nullopt, std::nullopt, ""};
}

Figure figure(std::string name, double value, std::string unit, Bounds bounds, std::string interval) {
  return {std::move(name), value, std::move(unit), bounds.low, bounds.high, std::move(interval)};
}

Figure step_figure(std::string name, double step) {
  Figure made = figure(std::move(name), step, "");
  made.in_full = true;
  return made;
}

std::string value_text(const Figure& figure) {
  if (std::isnan(figure.value)) return "unknown";
  if (figure.in_full) return counted(figure.value);
  return human_number(figure.value) + (figure.unit.empty() ? "" : "\u00a0" + figure.unit);
}

std::string interval_text(const Figure& figure) {
  if (!figure.low || !figure.high) return "";
  return fmt::format("{} to {}", human_number(*figure.low), human_number(*figure.high));
}

void Verdict::add(std::string name, double value, std::string unit) {
  figures.push_back(figure(std::move(name), value, std::move(unit)));
}

void Verdict::add(std::string name, double value, std::string unit, Bounds bounds, std::string interval) {
  figures.push_back(figure(std::move(name), value, std::move(unit), bounds, std::move(interval)));
}

Verdict ask(std::string id, std::string question) {
  Verdict verdict;
  verdict.id = std::move(id);
  verdict.question = std::move(question);
  return verdict;
}

Verdict& cannot_tell(Verdict& verdict, const std::string& reason) {
  verdict.finding = Grade::kCannotTell;
  verdict.sentence = std::string(kCannotTellBecause) + reason;
  return verdict;
}

}  // namespace verbund
