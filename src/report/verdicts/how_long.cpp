// SPDX-License-Identifier: Apache-2.0
// Verdict 4: how long the run took, and for what.
#include <algorithm>

#include "core/human.h"
#include "core/order.h"
#include "core/wall_clock.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

struct Unit {
  double seconds;
  const char* name;
};

Unit unit_for(double seconds) {
  if (seconds >= 7200) return {3600, "hours"};
  if (seconds >= 300) return {60, "minutes"};
  return {1, "seconds"};
}

Bar bar(const std::string& name, const TimeParts& parts, const std::vector<size_t>& uses, double unit) {
  Bar made{name, {}};
  for (const size_t use : uses) made.parts.push_back(std::max(0.0, parts[use]) / unit);
  return made;
}

Chart ledger_chart(const RunData& run, const Ledger& ledger) {
  const Unit unit = unit_for(ledger.wall);
  Chart chart;
  chart.id = "ledger";
  chart.title = "Where the time went";
  chart.x_label = unit.name;
  chart.hint = "A long first part is good: it is the computation itself. All other parts are overhead.";
  std::vector<size_t> uses;
  for (size_t use = 0; use < kTimeUses; ++use) {
    const bool used = ledger.parts[use] > 0 || std::any_of(ledger.ranks.begin(), ledger.ranks.end(),
                                                           [&](const RankTime& rank) { return rank.parts[use] > 0; });
    if (!used) continue;
    uses.push_back(use);
    chart.part_names.emplace_back(time_use_name(static_cast<TimeUse>(use)));
  }
  chart.bars.push_back(bar("the run", ledger.parts, uses, unit.seconds));
  if (ledger.ranks.size() > 1) {
    for (const RankTime& rank : ledger.ranks) {
      chart.bars.push_back(bar(run.worker_name(rank.rank), rank.parts, uses, unit.seconds));
    }
  }
  return chart;
}

// "85 % computing, 6 % evaluating": the three longest parts of at least 1 %.
std::string longest_parts(const Ledger& ledger) {
  std::string text;
  int told = 0;
  for (const size_t use : largest_first(kTimeUses, [&](size_t i) { return ledger.parts[i]; })) {
    const auto kind = static_cast<TimeUse>(use);
    const double share = ledger.parts[use] / ledger.wall;
    if (share < 0.01 || told == 3 || (kind == TimeUse::kUnaccounted && share > 0.99)) break;
    text += fmt::format("{}{} {}", told > 0 ? ", " : "", percent(share), time_use_name(kind));
    ++told;
  }
  return text;
}

std::string advice_on_losses(const RunData& run, const std::string& cost) {
  constexpr const char* kAfterDeath =
      "save more often (checkpoint.save_every_steps) to lose less; `verbund launch --max-restarts N` restarts a run at "
      "once";
  bool died = false, undone = false;  // by a roll-back, or by somebody who resumed from an earlier step
  for (size_t i = 1; i < run.starts.size(); ++i) {
    undone |= run.starts[i].returned_to_best;
    died |= !run.starts[i].returned_to_best && !run.starts[i - 1].was_wanted();
  }
  const bool rolled_back = std::ranges::count(run.history, "roll_back", &HistoryEvent::event) > 0;
  if (died && !undone && !rolled_back) return fmt::format("Dying cost {}: {}.", cost, kAfterDeath);
  if (died) return fmt::format("Deaths and steps that were undone cost {}. After a death: {}.", cost, kAfterDeath);
  if (!rolled_back) return fmt::format("Steps that were undone cost {}.", cost);
  return fmt::format("Steps that were undone cost {}: a smaller learning rate makes roll-backs rarer.", cost);
}

// Advice on the longest part besides computing, if it takes at least a tenth of the time.
std::string advice_on_longest(const RunData& run, const Ledger& ledger) {
  static constexpr std::pair<TimeUse, const char*> kAdvice[] = {
      {TimeUse::kData, "put the dataset on a faster disk, or leave a core for reading it."},
      {TimeUse::kExchange, "use larger batches, or fewer workers with more threads each."},
      {TimeUse::kSlowest, "find out what slows the straggler down: all others wait for it."},
      {TimeUse::kBookkeeping, "log less often (train.log_every)."},
      {TimeUse::kEvaluation,
       "evaluate less often (train.eval_every), or translate fewer sentences (evaluate.sentences)."},
      {TimeUse::kSaving, "save less often (checkpoint.save_every_steps), or to a faster disk."},
      {TimeUse::kStarting, "train for longer: the start takes the same time however long the run is."},
  };
  const auto longest = std::max_element(std::begin(kAdvice), std::end(kAdvice), [&](const auto& a, const auto& b) {
    return ledger.part(a.first) < ledger.part(b.first);
  });
  const double share = ledger.part(longest->first) / ledger.wall;
  if (!(share >= 0.1)) return "";
  std::string advice = longest->second;
  if (longest->first == TimeUse::kExchange && !is_on_one_host(run)) {
    const std::string wire = wire_advice(run);
    advice = (wire.empty() ? "" : wire + "; ") + "use larger batches or a faster network.";
  }
  return fmt::format("{} took {}: {}", capital(time_use_name(longest->first)), percent(share), advice);
}

}  // namespace

Verdict how_long(const RunData& run, const Ledger& ledger) {
  Verdict verdict = ask("how_long", "How long did the run take?");
  verdict.in_short = "much time was lost";
  verdict.rule =
      "Every second of worker 0 is assigned to one use. Steps come from its records, evaluations, saves and starts "
      "from the history; the rest is unaccounted. Waiting for the slowest worker (the straggler) is the part of the "
      "wait for gradients during which some worker was still computing, on the common clock.";
  verdict.would_change = "A faster machine shortens it; so do more workers, as long as waiting does not grow.";
  if (!is_known(ledger.wall) || ledger.wall <= 0) {
    return cannot_tell(verdict, "neither times of day nor step times are on record.");
  }
  const bool running = !run.starts.empty() && run.starts.back().reason.empty() && !run.imported;
  verdict.sentence =
      fmt::format("{} {}{} for {}", running ? "So far" : "The run took", ledger.estimated ? "about " : "",
                  human_duration(ledger.wall), counted(static_cast<double>(ledger.steps), "step", "steps"));
  const std::string parts = longest_parts(ledger);
  if (ledger.estimated) {
    verdict.sentence += ", by the step times in its log; the parts are not known.";
  } else {
    verdict.sentence += parts.empty() ? "." : ": " + parts + ".";
  }
  const double lost = ledger.part(TimeUse::kLost), down = ledger.part(TimeUse::kDown);
  if (lost > 0 && ledger.lost_steps > 0) {
    verdict.sentence +=
        fmt::format(" {} {} had to be computed again ({}).", counted(static_cast<double>(ledger.lost_steps)),
                    ledger.lost_steps == 1 ? "step" : "steps", human_duration(lost));
  }
  if (down >= 1) verdict.sentence += fmt::format(" After it died it was down for {}.", human_duration(down));
  if (ledger.not_running >= 1) {
    verdict.sentence += fmt::format(" Between its starts it was not running for {}, which is not included.",
                                    human_duration(ledger.not_running));
  }
  if (const double computing = ledger.part(TimeUse::kCompute) / ledger.wall; computing > 0) {
    verdict.would_change = fmt::format(
        "Computing took {}: a faster machine shortens it; so do more workers, as long as waiting does not grow.",
        percent(computing));
  }
  verdict.finding = (lost + down) > 0.1 * ledger.wall ? Grade::kBad : Grade::kNeutral;
  if (verdict.finding == Grade::kBad) {
    verdict.would_change = advice_on_losses(run, human_duration(lost + down));
  } else if (const std::string others = advice_on_others(host_loads(run)); !others.empty()) {
    verdict.would_change = others;
  } else if (const std::string longest = advice_on_longest(run, ledger); !longest.empty()) {
    verdict.would_change = longest;
  }

  verdict.add("wall time", ledger.wall, "s");
  for (size_t use = 0; use < kTimeUses; ++use) {
    if (ledger.parts[use] == 0) continue;
    verdict.add(time_use_name(static_cast<TimeUse>(use)), ledger.parts[use], "s");
  }
  if (ledger.not_running > 0) verdict.add("not running between starts, not included", ledger.not_running, "s");
  verdict.add("unaccounted share", 100 * ledger.part(TimeUse::kUnaccounted) / ledger.wall, "%");
  verdict.add("steps", static_cast<double>(ledger.steps), "");
  verdict.add("steps computed again", static_cast<double>(ledger.lost_steps), "");
  if (!ledger.estimated) verdict.charts.push_back(ledger_chart(run, ledger));
  return verdict;
}

}  // namespace verbund
