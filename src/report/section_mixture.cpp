// SPDX-License-Identifier: Apache-2.0
// The section on the mixture: what was seen of each corpus, in all and by stage.
#include <fmt/format.h>

#include <map>

#include "core/human.h"
#include "core/json.h"
#include "page/number_format.h"
#include "report/json_values.h"
#include "report/run_page.h"

namespace verbund {
namespace {

struct CorpusSeen {
  std::string name;
  double usable = kNotKnown, seen = kNotKnown;  // pairs
};

std::vector<CorpusSeen> corpora_of(const RunData& run) {
  std::vector<CorpusSeen> corpora;
  for (const Json& corpus : object_at(run.record, "dataset").value("corpora", Json::array())) {
    const std::string name = text_at(corpus, "name");
    corpora.push_back({name, number_at(corpus, "usable_pairs"), run.training.last("pairs_seen." + name)});
  }
  return corpora;
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
  std::vector<CorpusSeen> rest = corpora_of(run);
  std::map<int64_t, const Json*> ended;  // by the number of the stage after it; repeated steps replace what was undone
  for (const HistoryEvent& event : run.history) {
    if (event.event == "stage") ended[static_cast<int64_t>(number_at(event.line, "stage"))] = &event.line;
  }
  if (rest.size() < 2 && ended.empty()) return section;
  Table table;
  table.id = "mixture";
  table.columns = {
      {"stage"}, {"corpus"}, {"its pairs", true}, {"pairs seen", true}, {"epochs", true}, {"of the pairs", true}};
  add_rows("all", rest, table);
  std::string current;
  for (const auto& [number, line] : ended) {
    const Json& before = object_at(*line, "before");
    std::vector<CorpusSeen> seen = rest;
    for (size_t i = 0; i < rest.size(); ++i) {
      seen[i].seen = number_at(object_at(before, "seen"), rest[i].name.c_str());
      rest[i].seen -= seen[i].seen;
    }
    add_rows(text_at(before, "name"), seen, table);
    current = text_at(*line, "name");
  }
  double left = 0;
  for (const CorpusSeen& corpus : rest) left += is_known(corpus.seen) ? corpus.seen : 0;
  if (!ended.empty() && left > 0) add_rows(current, rest, table);
  if (table.rows.empty()) return section;
  section.blocks.push_back(Paragraph{fmt::format(
      "Training pairs by corpus, up to step {}. An epoch of a corpus has each of its pairs once. The mixture: {}.",
      counted(run.training.rows() > 0 ? static_cast<double>(run.training.step.back()) : 0),
      text_at(object_at(run.record, "dataset"), "mixture"))});
  section.blocks.push_back(table);
  return section;
}

}  // namespace verbund
