// SPDX-License-Identifier: Apache-2.0
// The summary of a run: how it ended, how good it is and whether that still changes, and what went wrong.
#include <fmt/format.h>

#include <algorithm>

#include "core/human.h"
#include "page/number_format.h"
#include "report/json_values.h"
#include "report/run_page.h"
#include "report/verdicts/evidence.h"
#include "statistics/trend.h"

namespace verbund {
namespace {

// "step 300 of 600"
std::string step_of_all(const RunData& run, int64_t step) {
  const int64_t all = run.config ? run.config->train.max_steps : 0;
  const std::string text = "step " + counted(static_cast<double>(step));
  return all > step ? text + " of " + counted(static_cast<double>(all)) : text;
}

bool stopped_early(const RunData& run) {
  return std::ranges::any_of(run.history, [&](const HistoryEvent& event) {
    return event.event == "early_stop" && event.step >= run.last_step();
  });
}

std::string how_it_ended(const RunData& run, const Ledger& ledger, const BasicFacts& facts) {
  const std::string took = is_known(facts.wall) && facts.wall > 0 ? " in " + human_duration(facts.wall) : "";
  const std::string steps = counted(static_cast<double>(facts.steps), "step", "steps");
  const std::string place = step_of_all(run, facts.steps);
  if (const auto divergence = find_divergence(run, ledger)) {
    return fmt::format("Diverged at step {}: {}", counted(static_cast<double>(divergence->step)), divergence->what);
  }
  if (facts.state == "imported") {
    const std::string kind = text_at(object_at(run.record, "imported"), "kind");
    return fmt::format("Imported{}, {}", kind.empty() ? "" : " from " + kind, steps);
  }
  if (facts.state == "finished") {
    return stopped_early(run) ? fmt::format("Stopped early at {}{}, because it no longer improved", place, took)
                              : fmt::format("Trained to the end, {}{}", steps, took);
  }
  if (facts.state == "stopped") {
    const bool by = facts.reason.starts_with("stopped by ");
    const std::string who = by ? facts.reason.substr(7, facts.reason.find(' ', 11) - 7) : "";
    return fmt::format("Stopped{} at {}{}", who, place, took);
  }
  if (facts.state == "running") return fmt::format("Still training, at {}{}", place, took.empty() ? "" : took);
  if (facts.state == "lost") {
    return fmt::format("Lost at {}: no sign of life since {}", place, moment_text(facts.ended));
  }
  if (facts.state == "killed") return fmt::format("Killed at {}, and not resumed", place);
  if (facts.state == "failed") return fmt::format("Failed at {}", place);
  return fmt::format("How it ended is not on record; {}", steps);
}

// The course of a score over the last evaluations: "still rising", "no longer rising", "whether still rising cannot be
// told"; "" with fewer than four.
std::string course(const std::vector<double>& step, const std::vector<double>& value, bool rises) {
  constexpr size_t kFewestValues = 4;
  constexpr double kSlow = 0.01;  // of the value, for a tenth more steps
  if (value.size() < kFewestValues) return "";
  const size_t from = value.size() - std::max(kFewestValues, value.size() / 3);
  const Trend trend = theil_sen(std::span(step).subspan(from), std::span(value).subspan(from));
  const bool better = rises ? trend.interval.low > 0 : trend.interval.high < 0;
  const bool worse = rises ? trend.interval.high < 0 : trend.interval.low > 0;
  const char* good = rises ? "rising" : "falling";
  if (better) {
    const bool slow = std::abs(trend.slope * 0.1 * step.back()) < kSlow * std::abs(value.back());
    return fmt::format(", still {}{}", good, slow ? " slowly" : "");
  }
  if (worse) return fmt::format(", {} again", rises ? "falling" : "rising");
  const double most = rises ? trend.interval.high : -trend.interval.low;
  const bool little = most * 0.1 * step.back() < kSlow * std::abs(value.back());
  return little ? fmt::format(", no longer {}", good) : fmt::format(", whether still {} is unclear", good);
}

std::string quality(const RunData& run, const BasicFacts& facts, const Verdict& how_good) {
  std::vector<double> step, bleu;
  const std::vector<double> all = run.evaluations.column("dev_bleu");
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_known(all[i]) || run.evaluations.step[i] <= 0) continue;
    step.push_back(static_cast<double>(run.evaluations.step[i]));
    bleu.push_back(all[i]);
  }
  const bool goes_on = facts.state != "diverged";
  const BestValue best = best_of(run, "dev_bleu", true);
  if (!is_known(best.value)) {
    const DevCurve curve = dev_curve(run);
    if (curve.step.empty()) return "never evaluated";
    return fmt::format("loss {} on dev{}; no sentence was translated", short_number(curve.loss[curve.lowest()]),
                       goes_on ? course(curve.step, curve.loss, false) : "");
  }
  std::string text = fmt::format("BLEU {:.2f} on dev", best.value);
  if (!bleu.empty() && bleu.back() < best.value) {
    text += fmt::format(" at best, step {}", counted(static_cast<double>(best.step)));
  }
  if (goes_on) text += course(step, bleu, true);
  if (how_good.finding != Grade::kBad) return text;
  return (facts.state == "running" ? "not usable yet: " : "not usable: ") + text;
}

std::string times(size_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

std::vector<std::string> faults(const RunData& run, const Ledger& ledger) {
  std::vector<std::string> list;
  size_t deaths = 0;
  int64_t resumed_from = 0;
  for (size_t i = 1; i < run.starts.size(); ++i) {
    if (run.starts[i - 1].was_wanted()) continue;
    ++deaths;
    resumed_from = run.starts[i].step;
  }
  if (deaths > 0) {
    std::string text = fmt::format("died {} and was resumed", times(deaths));
    if (deaths == 1) text += " from step " + counted(static_cast<double>(resumed_from));
    const bool all_by_death = std::ranges::count(run.history, "roll_back", &HistoryEvent::event) == 0 &&
                              std::ranges::count(run.starts, true, &StartFacts::returned_to_best) == 0;
    if (ledger.lost_steps > 0 && all_by_death) {
      text += fmt::format(", {} computed again", counted(static_cast<double>(ledger.lost_steps), "step", "steps"));
    }
    list.push_back(text);
  }
  for (const auto& [event, text] :
       {std::pair("roll_back", "rolled back"), {"stall", "stalled"}, {"lost_worker", "lost a worker"}}) {
    const auto count = std::ranges::count(run.history, std::string(event), &HistoryEvent::event);
    if (count > 0) list.push_back(fmt::format("{} {}", text, times(static_cast<size_t>(count))));
  }
  return list;
}

// The bad findings of the answers, in a few words each; quality and divergence are said elsewhere.
std::vector<std::string> complaints(const std::vector<Verdict>& verdicts) {
  std::vector<std::string> list;
  for (const Verdict& verdict : verdicts) {
    if (verdict.finding == Grade::kBad && !verdict.in_short.empty()) list.push_back(verdict.in_short);
  }
  return list;
}

}  // namespace

std::string run_summary(const RunData& run, const Ledger& ledger, const BasicFacts& facts,
                        const std::vector<Verdict>& verdicts) {
  const auto how_good = std::ranges::find_if(verdicts, [](const Verdict& verdict) { return verdict.id == "how_good"; });
  std::vector<std::string> parts = {how_it_ended(run, ledger, facts),
                                    quality(run, facts, how_good == verdicts.end() ? Verdict() : *how_good)};
  const std::vector<std::string> happened = faults(run, ledger);
  if (!happened.empty()) parts.push_back("it " + list_text(happened));
  const std::vector<std::string> found = facts.state == "diverged" ? std::vector<std::string>() : complaints(verdicts);
  if (!found.empty()) parts.push_back(list_text(found));
  const bool well = facts.state == "finished" || facts.state == "running" || facts.state == "stopped";
  const bool usable = how_good != verdicts.end() && how_good->finding != Grade::kBad;
  if (happened.empty() && found.empty() && well && usable && !run.history.empty()) {
    parts.emplace_back("nothing went wrong");
  }
  return fmt::format("{}.", fmt::join(parts, "; "));
}

}  // namespace verbund
