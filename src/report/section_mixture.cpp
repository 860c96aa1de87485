// SPDX-License-Identifier: Apache-2.0
// The section on the mixture: what was seen of each corpus, in all and by stage.
#include <fmt/format.h>

#include <map>

#include "core/human.h"
#include "core/json.h"
#include "page/number_format.h"
#include "report/corpora_seen.h"
#include "report/json_values.h"
#include "report/run_page.h"

namespace verbund {
namespace {

// The mixture of each part of the run: from the step on which it was used.
std::string mixtures_text(const RunData& run) {
  std::vector<std::pair<int64_t, std::string>> parts;
  for (const StartFacts& start : run.starts) {
    while (!parts.empty() && parts.back().first >= start.step) parts.pop_back();
    if (!start.mixture.empty() && (parts.empty() || parts.back().second != start.mixture))
      parts.emplace_back(start.step, start.mixture);
  }
  const std::string last = text_at(object_at(run.record, "dataset"), "mixture");
  if (parts.empty() && run.starts.size() > 1) return fmt::format("The mixture of the last start: {}.", last);
  if (parts.size() < 2) return fmt::format("The mixture: {}.", last);
  std::string text;
  for (const auto& [step, mixture] : parts) {
    text += fmt::format("{}The mixture from step {} on: {}.", text.empty() ? "" : " ",
                        counted(static_cast<double>(step + 1)), mixture);
  }
  return text;
}

void add_rows(const std::string& stage, const std::vector<CorpusSeen>& corpora, Table& table) {
  double all = 0;
  for (const CorpusSeen& corpus : corpora) all += is_known(corpus.seen) ? corpus.seen : 0;
  for (const CorpusSeen& corpus : corpora) {
    if (!is_known(corpus.seen) || !(all > 0)) continue;
    const double epochs = corpus.seen / corpus.usable, share = 100 * corpus.seen / all;
    table.rows.push_back({stage,
                          corpus.name,
                          {human_number(corpus.usable), corpus.usable},
                          {human_number(corpus.seen), corpus.seen},
                          {fmt::format("{:.2f}", epochs), epochs},
                          {fmt::format("{:.1f} %", share), share}});
  }
}

}  // namespace

Section mixture_section(const RunData& run) {
  Section section = {"mixture", "Corpora", {}};
  std::vector<CorpusSeen> rest = corpora_seen(run);
  const int64_t logged = run.training.step.empty() ? 0 : run.training.step.back();
  std::map<int64_t, const HistoryEvent*> ended;  // by the number of the stage after it
  for (const HistoryEvent& event : run.history) {
    if (event.event == "stage" && event.step <= logged) {
      ended[static_cast<int64_t>(number_at(event.line, "stage"))] = &event;
    }
    // The checkpoint of a step is saved before a stage begins there, so that the stage begins again.
    if (event.event == "start" || event.event == "resume" || event.event == "roll_back") {
      const double to =
          event.event == "start" ? 0 : number_at(event.line, event.event == "resume" ? "from_step" : "to_step");
      std::erase_if(ended, [&](const auto& stage) { return static_cast<double>(stage.second->step) >= to; });
    }
  }
  if (rest.size() < 2 && ended.empty()) return section;
  Table table;
  table.id = "mixture";
  table.columns = {
      {"stage"}, {"corpus"}, {"its pairs", true}, {"pairs seen", true}, {"epochs", true}, {"of the pairs", true}};
  add_rows("all", rest, table);
  std::string current;
  for (const auto& [number, event] : ended) {
    const Json& before = object_at(event->line, "before");
    std::vector<CorpusSeen> seen = rest;
    for (size_t i = 0; i < rest.size(); ++i) {
      seen[i].seen = number_at(object_at(before, "seen"), rest[i].name.c_str());
      rest[i].seen -= seen[i].seen;
    }
    add_rows(text_at(before, "name"), seen, table);
    current = text_at(event->line, "name");
  }
  double left = 0;
  for (const CorpusSeen& corpus : rest) left += is_known(corpus.seen) ? corpus.seen : 0;
  if (!ended.empty() && left > 0) add_rows(current, rest, table);
  if (table.rows.empty()) return section;
  section.blocks.push_back(Paragraph{fmt::format(
      "Training pairs by corpus, up to step {}. An epoch of a corpus has each of its pairs once. {}",
      counted(run.training.rows() > 0 ? static_cast<double>(run.training.step.back()) : 0), mixtures_text(run))});
  section.blocks.push_back(table);
  return section;
}

}  // namespace verbund
