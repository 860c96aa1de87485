// SPDX-License-Identifier: Apache-2.0
// The verdict before all others: divergence.
#include <algorithm>

#include "core/human.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

constexpr double kExploded = 2;  // times the lowest loss so far, and 1 nat above it

struct Bad {
  size_t row;
  std::string what;
};

// The row from which on a value is never a finite number again. It takes two such rows: a single one may be a skipped
// step.
std::optional<Bad> never_finite_again(const MetricTable& table, const std::string& key, const std::string& name) {
  const auto found = table.not_finite.find(key);
  if (found == table.not_finite.end() || found->second.size() < 2) return std::nullopt;
  const std::vector<double> values = table.column(key);
  const auto last_good = std::find_if(values.rbegin(), values.rend(), is_known);
  const auto after = static_cast<size_t>(values.rend() - last_good);  // the row after the last number
  const auto first = std::lower_bound(found->second.begin(), found->second.end(), after);
  if (found->second.end() - first < 2) return std::nullopt;
  return Bad{*first, name + " is not a number"};
}

// The row at which the loss rises for good.
std::optional<Bad> exploded(const MetricTable& table, const std::string& key, const std::string& name) {
  const std::vector<double> values = table.column(key);
  std::vector<size_t> rows;
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_known(values[i])) rows.push_back(i);
  }
  if (rows.size() < 10) return std::nullopt;
  double lowest = values[rows.front()];
  size_t since = 0;  // index in `rows` where the last stretch above the limit begins
  bool above = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double value = values[rows[i]];
    const bool now = value > kExploded * lowest && value > lowest + 1;
    if (now && !above) since = i;
    above = now;
    lowest = std::min(lowest, value);
  }
  if (!above || rows.size() - since < 3) return std::nullopt;
  return Bad{rows[since], fmt::format("{} is {} after it had been {}", name, short_number(values[rows[since]]),
                                      short_number(lowest))};
}

}  // namespace

std::optional<Divergence> find_divergence(const RunData& run, const Ledger& ledger) {
  std::optional<Divergence> found;
  const auto look = [&](const MetricTable& table, const std::string& key, const std::string& name) {
    for (const auto& bad : {never_finite_again(table, key, name), exploded(table, key, name)}) {
      if (!bad || (found && found->step <= table.step[bad->row])) continue;
      found = {.step = table.step[bad->row],
               .what = bad->what,
               .seconds_after = kNotKnown,
               .steps_after = run.last_step() - table.step[bad->row]};
      if (is_known(table.time[bad->row]) && is_known(ledger.ended)) {
        found->seconds_after = std::max(0.0, ledger.ended - table.time[bad->row]);
      }
    }
  };
  const std::string training = loss_key(run.training, "train");
  look(run.training, training, "the training loss");
  look(run.evaluations, loss_key(run.evaluations, "dev"), "the dev loss");
  if (const auto nan = never_finite_again(run.training, training, "the training loss"); nan && found) {
    found->not_a_number = run.training.step[nan->row];
  }
  const HistoryEvent* last = nullptr;  // which a later start, resume or roll-back undoes
  for (const HistoryEvent& event : run.history) {
    if (event.event == "diverged") last = &event;
    if (event.event == "start" || event.event == "resume" || event.event == "roll_back") last = nullptr;
  }
  if (last != nullptr && last->step >= run.last_step()) {
    const int64_t step = last->step + 1;  // the event counts the steps done, and the next one showed it
    const auto reason = last->line.find("reason");
    const bool told = reason != last->line.end() && reason->is_string();
    if (!found || step < found->step) {
      found = {.step = step, .what = told ? reason->get<std::string>() : "the loss exploded"};
    }
  }
  if (found && !is_known(found->seconds_after)) {
    const std::vector<double> each = finite(run.training.column("seconds_per_step"));
    if (!each.empty()) found->seconds_after = median(each) * static_cast<double>(found->steps_after);
  }
  return found;
}

Verdict diverged(const RunData& run, const Divergence& divergence) {
  Verdict verdict = ask("diverged", "Did the run fall apart?");
  verdict.finding = Grade::kBad;
  verdict.sentence =
      fmt::format("The run diverged at step {}: {}.", counted(static_cast<double>(divergence.step)), divergence.what);
  if (divergence.not_a_number > divergence.step) {
    verdict.sentence += fmt::format(" From step {} on the loss is not a number.",
                                    counted(static_cast<double>(divergence.not_a_number)));
  }
  if (divergence.steps_after > 0) {
    verdict.sentence +=
        fmt::format(" It continued for {}", counted(static_cast<double>(divergence.steps_after), "step", "steps"));
    verdict.sentence += is_known(divergence.seconds_after)
                            ? fmt::format(", {}, without recovering.", human_duration(divergence.seconds_after))
                            : ", without recovering.";
  }
  verdict.rule =
      "The training or dev loss is not a number from some step to the end, or rises to twice its lowest value and "
      "never comes back, or the run itself ended for that reason.";
  const std::vector<double> rates = finite(run.training.column("learning_rate"));
  verdict.would_change = fmt::format(
      "Use a smaller learning rate{}, a longer warm-up, or optimizer.clip_norm; train.on_divergence decides how a run "
      "reacts.",
      rates.empty() ? ""
                    : fmt::format(" than {:.3g}, its highest here", *std::max_element(rates.begin(), rates.end())));
  verdict.figures = {
      step_figure("first step seen", static_cast<double>(divergence.step)),
      step_figure("step from which on the loss is not a number",
                  divergence.not_a_number >= 0 ? static_cast<double>(divergence.not_a_number) : kNotKnown),
      figure("steps after that", static_cast<double>(divergence.steps_after), ""),
      figure("time after that", divergence.seconds_after / 3600, "h")};
  Chart chart{"divergence", "Training loss", "step", "loss", "The line ends or jumps where the run diverged."};
  chart.series.push_back({"training loss",
                          run.training.steps(),
                          run.training.column(loss_key(run.training, "train")),
                          {},
                          {},
                          Drawn::kLine});
  chart.marks.push_back({static_cast<double>(divergence.step), "diverged"});
  verdict.charts.push_back(std::move(chart));
  return verdict;
}

}  // namespace verbund
