// SPDX-License-Identifier: Apache-2.0
#include "page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "page/number_format.h"

namespace verbund {
namespace {

// "training_set" -> "training set"
std::string topic_of(const Verdict& verdict) {
  std::string topic = verdict.id;
  std::replace(topic.begin(), topic.end(), '_', ' ');
  return topic;
}

// One verdict with the reasons of all; those with the same reason share it.
Verdict fold(const std::vector<Verdict>& unknown, size_t all) {
  Verdict folded = ask("cannot_tell", "What can the report not tell?");
  folded.finding = Grade::kCannotTell;
  folded.sentence = fmt::format("{} of {} questions have no answer.", unknown.size(), all);
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // with their topics
  for (const Verdict& verdict : unknown) {
    const std::string_view said = verdict.sentence;
    const std::string reason(said.starts_with(kCannotTellBecause) ? said.substr(kCannotTellBecause.size()) : said);
    auto found = std::find_if(reasons.begin(), reasons.end(), [&](const auto& known) { return known.first == reason; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {reason, {}});
    found->second.push_back(topic_of(verdict));
    folded.figures.insert(folded.figures.end(), verdict.figures.begin(), verdict.figures.end());
    folded.charts.insert(folded.charts.end(), verdict.charts.begin(), verdict.charts.end());
    folded.samples.insert(folded.samples.end(), verdict.samples.begin(), verdict.samples.end());
  }
  for (const auto& [reason, topics] : reasons) {
    folded.sentence += fmt::format(" {}: {}", capital(list_text(topics)), reason);
  }
  return folded;
}

}  // namespace

std::vector<Verdict> shown_verdicts(const Page& page) {
  std::vector<Verdict> shown, unknown;
  for (const Verdict& verdict : page.verdicts) {
    (page.folds_unknown && verdict.finding == Grade::kCannotTell ? unknown : shown).push_back(verdict);
  }
  if (!unknown.empty()) shown.push_back(unknown.size() == 1 ? unknown[0] : fold(unknown, page.verdicts.size()));
  return shown;
}

ShownRows shown_rows(const Table& table) {
  constexpr size_t kMaxRows = 1000;
  const size_t rows = table.rows.size();
  if (rows <= kMaxRows) return {rows, 0, ""};
  const size_t left_out = rows - kMaxRows;
  return {kMaxRows / 2, left_out,
          fmt::format("{} of {} rows are left out here; verbund report --json has all of them.",
                      counted(static_cast<double>(left_out)), counted(static_cast<double>(rows)))};
}

}  // namespace verbund
