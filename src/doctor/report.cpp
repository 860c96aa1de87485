// SPDX-License-Identifier: Apache-2.0
#include "doctor/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/columns.h"
#include "core/json.h"
#include "core/terminal.h"

namespace verbund {
namespace {

constexpr size_t kWidest = 100, kNarrowest = 40;
constexpr size_t kVerdictWidth = 9, kCheckWidth = 12;
constexpr size_t kMargin = kVerdictWidth + kCheckWidth;

Colour colour_of(Health health) {
  switch (health) {
    case Health::kOk:
      return Colour::kGreen;
    case Health::kWarning:
      return Colour::kYellow;
    case Health::kProblem:
      return Colour::kRed;
    default:
      return Colour::kNone;
  }
}

std::string number_of(const Findings& findings, Health health) {
  const auto count =
      std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.health == health; });
  return count == 0 ? "" : fmt::format("{} {}{}", count, name_of(health), count == 1 ? "" : "s");
}

}  // namespace

std::string findings_table(const Findings& findings, bool colour, size_t columns) {
  const size_t width = std::clamp(columns, kNarrowest, kWidest);
  std::string table = fmt::format("{:<{}}{:<{}}finding\n", "verdict", kVerdictWidth, "check", kCheckWidth);
  for (const Finding& finding : findings) {
    std::string start =
        coloured(fmt::format("{:<{}}", name_of(finding.health), kVerdictWidth), colour_of(finding.health), colour) +
        fmt::format("{:<{}}", finding.check, kCheckWidth);
    for (const std::string& line : wrap_words(finding.text, width - kMargin)) {
      table += start + line + "\n";
      start = std::string(kMargin, ' ');
    }
    if (finding.advice.empty()) continue;
    start += "-> ";
    for (const std::string& line : wrap_words(finding.advice, width - start.size())) {
      table += start + line + "\n";
      start = std::string(start.size(), ' ');
    }
  }
  return table;
}

std::string conclusion(const Findings& findings) {
  const std::string problems = number_of(findings, Health::kProblem), warnings = number_of(findings, Health::kWarning);
  const std::string both = problems + (problems.empty() || warnings.empty() ? "" : ", ") + warnings;
  if (!problems.empty()) return both + ": this will not train yet";
  std::vector<std::string> skipped;
  for (const Finding& finding : findings) {
    if (finding.health == Health::kSkipped) skipped.push_back(finding.check);
  }
  return (both.empty() ? "no problem" : both) +
         (skipped.empty() ? ": ready to train" : fmt::format("; not checked: {}", fmt::join(skipped, ", ")));
}

std::string findings_json(const Findings& findings, const Facts& facts) {
  Json rows = Json::array();
  for (const Finding& finding : findings) {
    rows.push_back({{"verdict", name_of(finding.health)},
                    {"check", finding.check},
                    {"finding", finding.text},
                    {"advice", finding.advice}});
  }
  const Json all = {{"verdict", name_of(worst_of(findings))}, {"findings", rows}, {"facts", facts}};
  return dump_json(all, 2) + "\n";
}

}  // namespace verbund
