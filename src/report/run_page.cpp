// SPDX-License-Identifier: Apache-2.0
#include "report/run_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/wall_clock.h"
#include "page/number_format.h"
#include "report/corpora_seen.h"
#include "report/layouts.h"

namespace verbund {
namespace {

std::string metric_name(const std::string& key) {
  if (key == "dev_bleu") return "best BLEU";
  if (key == "dev_chrf") return "best chrF";
  if (key == "dev_teacher_forced_piece_bleu") return "best teacher-forced BLEU of pieces";
  return "best loss";
}

// "2 workers on alpha, then 1 worker on alpha"
std::string hosts_text(const RunData& run, const BasicFacts& facts) {
  const std::vector<Layout> layouts = layouts_of(run);
  if (layouts.size() > 1) {
    const std::vector<std::string> texts = layout_texts(layouts);
    return texts.size() > 3 ? fmt::format("{} different layouts of workers", texts.size())
                            : fmt::format("{}", fmt::join(texts, ", then "));
  }

  std::string workers = counted(facts.workers, "worker", "workers");
  if (facts.hosts.empty()) return workers;
  if (facts.hosts.size() <= 3) return workers + " on " + list_text(facts.hosts);
  return fmt::format("{} on {} hosts", workers, facts.hosts.size());
}

// "3.2", of several corpora "law 0.44, gen 12.1"; "" if they are not known.
std::string epochs_text(const RunData& run) {
  const std::vector<CorpusSeen> corpora = corpora_seen(run);
  std::string text;
  for (const CorpusSeen& corpus : corpora) {
    if (!is_known(corpus.epochs)) return "";
    if (corpora.size() > 1) text += fmt::format("{}{} ", text.empty() ? "" : ", ", corpus.name);
    text += human_number(corpus.epochs);
  }
  return text;
}

std::vector<Fact> head(const RunData& run, const BasicFacts& facts) {
  std::vector<Fact> list;
  list.push_back({"steps", counted(static_cast<double>(facts.steps))});
  if (is_known(facts.wall)) list.push_back({"time", duration_text(facts.wall)});
  if (is_known(facts.began)) list.push_back({"began", moment_text(facts.began)});
  if (const std::string epochs = epochs_text(run); !epochs.empty()) list.push_back({"epochs", epochs});
  if (is_known(facts.tokens)) list.push_back({"target tokens", human_number(facts.tokens)});
  size_t best = 0;
  for (const BestValue& value : facts.best) {
    if (!is_known(value.value) || best++ >= 2) continue;  // two are enough here
    list.push_back({metric_name(value.metric),
                    fmt::format("{} at step {}", human_number(value.value), counted(static_cast<double>(value.step)))});
  }
  if (!run.imported) list.push_back({"ran as", hosts_text(run, facts)});
  return list;
}

std::vector<std::string> notes(const RunData& run, const BasicFacts& facts) {
  std::vector<std::string> list;
  if (facts.state == "running") {
    list.push_back(fmt::format("Still running: this is its state at step {}. Make the report again for later steps.",
                               counted(static_cast<double>(facts.steps))));
  } else if (facts.state == "lost") {
    list.push_back(
        "It has not ended, but gives no sign of life: it was killed, or its host is down. The same command "
        "resumes it.");
  } else if (!facts.reason.empty() && facts.state != "finished") {
    const bool is_sentence = facts.reason.starts_with("ended ");
    list.push_back((is_sentence ? "It " : "It ended: ") + facts.reason + (facts.reason.ends_with('.') ? "" : "."));
  }
  list.insert(list.end(), run.notes.begin(), run.notes.end());
  return list;
}

Grade condition_of(const std::string& state) {
  if (state == "finished") return Grade::kGood;
  if (state == "running" || state == "stopped" || state == "imported") return Grade::kNeutral;
  return state == "unknown" ? Grade::kCannotTell : Grade::kBad;
}

}  // namespace

Section ledger_section(const Ledger& ledger) {
  Section section = {"ledger", "Ledger of time", {}};
  if (!(ledger.wall > 0)) return section;
  Table table;
  table.id = "ledger";
  table.columns = {{"use"}, {"time", true}, {"share", true}, {"what it is"}};
  for (size_t use = 0; use < kTimeUses; ++use) {
    const double seconds = ledger.parts[use];
    if (!(seconds > 0)) continue;
    table.rows.push_back({time_use_name(static_cast<TimeUse>(use)),
                          {duration_text(seconds), seconds},
                          {fmt::format("{:.1f} %", 100 * seconds / ledger.wall), 100 * seconds / ledger.wall},
                          time_use_meaning(static_cast<TimeUse>(use))});
  }
  table.rows.push_back({"all", {duration_text(ledger.wall), ledger.wall}, {"100.0 %", 100.0}, "of worker 0"});
  section.blocks.push_back(Paragraph{fmt::format(
      "From {} to {}{}.", moment_text(ledger.began), moment_text(ledger.ended),
      ledger.not_running >= 1
          ? fmt::format(", without {} between starts in which it was not running", duration_text(ledger.not_running))
          : "")});
  section.blocks.push_back(table);
  return section;
}

Page run_page(const RunData& run, const std::string& program, const std::vector<PlacedSection>& others) {
  const Ledger ledger = make_ledger(run);
  const BasicFacts facts = basic_facts(run, ledger);
  Page page;
  page.kind = run.imported ? "Imported training run" : "Training run";
  page.title = run.name;
  page.state = facts.state;
  page.condition = condition_of(facts.state);
  page.facts = head(run, facts);
  page.notes = notes(run, facts);
  page.verdicts = judge(run, ledger);
  page.summary = run_summary(run, ledger, facts, page.verdicts);
  page.strip = strip_charts(run);
  page.folds_unknown = true;
  page.sections = {ledger_section(ledger),     curves_section(run),      evaluations_section(run),
                   samples_section(run),       mixture_section(run),     faults_section(run),
                   configuration_section(run), environment_section(run), commands_section(run)};
  for (const PlacedSection& other : others) {
    const auto before = std::find_if(page.sections.begin(), page.sections.end(),
                                     [&](const Section& section) { return section.id == other.after; });
    page.sections.insert(before == page.sections.end() ? before : before + 1, other.make(run));
  }
  std::erase_if(page.sections, [](const Section& section) { return section.blocks.empty(); });
  page.made = fmt::format("Made by {} at {} from {}.", program, utc_time(), run.folder.string());
  return page;
}

}  // namespace verbund
