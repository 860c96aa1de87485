// SPDX-License-Identifier: Apache-2.0
#include "report/ledger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/json_values.h"
#include "report/step_walk.h"

namespace verbund {
namespace {

struct UseText {
  const char *name, *meaning;
};
// Names and meanings in the order of TimeUse.
constexpr std::array<UseText, kTimeUses> kUses = {{
    {"computing", "forward and backward"},
    {"waiting for data", "no batch was ready"},
    {"waiting for the exchange", "gradients were being exchanged"},
    {"waiting for the slowest worker", "the straggler was still computing"},
    {"updating weights", "norm, clipping, optimiser"},
    {"bookkeeping", "around and between steps: log, metrics, the record"},
    {"evaluating", "loss and translations of the dev set"},
    {"saving", "training waited for a checkpoint"},
    {"starting", "from the start of the program to the first step"},
    {"lost, computed again", "undone by a death, a roll-back or --resume best"},
    {"down between starts", "between a death and the next start"},
    {"training steps", "steps without further detail"},
    {"unaccounted", "the rest"},
}};

double& part(TimeParts& parts, TimeUse use) { return parts[static_cast<size_t>(use)]; }

double seconds_of(const HistoryEvent& event) {
  const double seconds = number_at(event.line, "seconds");
  return is_known(seconds) ? seconds : 0;
}

// Events that steps wait for. "saved": at the end, until all is on disk.
bool is_pause(const HistoryEvent& event) {
  return event.event == "evaluation" || event.event == "save" || event.event == "saved";
}

// The part of a step outside its phases.
double around(const StepRecord& step) {
  return double{step.seconds} - step.waited - step.compute - step.exposed - step.update;
}

// Marks the events of steps that a later resume or roll-back has undone.
std::vector<bool> undone_events(const std::vector<HistoryEvent>& history) {
  std::vector<bool> undone(history.size());
  int64_t resumed_from = std::numeric_limits<int64_t>::max();
  for (size_t i = history.size(); i-- > 0;) {
    undone[i] = history[i].step > resumed_from;
    for (const char* key : {"from_step", "to_step"}) {
      const char* event = std::string_view(key) == "from_step" ? "resume" : "roll_back";
      if (history[i].event != event || !history[i].line.contains(key)) continue;
      resumed_from = std::min(resumed_from, history[i].line.value(key, int64_t{0}));
    }
    if (history[i].event == "start") resumed_from = std::min(resumed_from, int64_t{0});
  }
  return undone;
}

// Steps of every rank; those of worker 0 count for the run.
void add_steps(const RunData& run, Ledger& ledger) {
  for (const RankSteps& steps : run.ranks) {
    RankTime& time = ledger.ranks.emplace_back(RankTime{steps.rank, steps.host, {}});
    double all = 0, kept = 0;
    for (const StepRecord& record : steps.records) all += record.seconds;
    steps.for_each_kept([&](const StepRecord& record) { kept += record.seconds; });
    part(time.parts, TimeUse::kLost) = all - kept;
  }
  walk_steps(run, [&](const std::vector<const StepRecord*>& step) {
    const double all_ready = slowest_ready(step);
    for (size_t i = 0; i < step.size(); ++i) {
      if (!step[i]) continue;
      TimeParts& parts = ledger.ranks[i].parts;
      const double waited = std::clamp(all_ready - ready_at(*step[i]), 0.0, double{step[i]->exposed});
      part(parts, TimeUse::kCompute) += step[i]->compute;
      part(parts, TimeUse::kData) += step[i]->waited;
      part(parts, TimeUse::kSlowest) += waited;
      part(parts, TimeUse::kExchange) += step[i]->exposed - waited;
      part(parts, TimeUse::kUpdate) += step[i]->update;
      part(parts, TimeUse::kBookkeeping) += std::max(0.0, around(*step[i]));
    }
  });
  const RankSteps& own = run.ranks.front();
  ledger.parts = ledger.ranks.front().parts;
  ledger.steps = static_cast<int64_t>(own.kept_count());
}

// Time between two steps without evaluation or save is bookkeeping, up to the duration of a step: anything longer has
// another reason.
void add_between_steps(const RunData& run, Ledger& ledger) {
  std::vector<std::pair<double, double>> pauses;  // when, and how long
  for (const HistoryEvent& event : run.history) {
    if (is_pause(event)) pauses.emplace_back(event.at, seconds_of(event));
  }
  std::sort(pauses.begin(), pauses.end());
  const std::span<const StepRecord> records = run.ranks.front().records;
  auto pause = pauses.begin();
  for (size_t i = 0; i + 1 < records.size(); ++i) {
    const StepRecord &step = records[i], &next = records[i + 1];
    if (next.start != step.start || next.step != step.step + 1) continue;
    double between = next.began - step.began - step.seconds;
    for (; pause != pauses.end() && pause->first <= next.began; ++pause) {
      if (pause->first >= step.began) between -= pause->second;
    }
    part(ledger.parts, TimeUse::kBookkeeping) += std::clamp(between, 0.0, double{step.seconds});
  }
}

void add_events(const RunData& run, Ledger& ledger) {
  const std::vector<bool> undone = undone_events(run.history);
  double before_ready = 0;  // seconds of evaluations and saves since the start
  for (size_t i = 0; i < run.history.size(); ++i) {
    const HistoryEvent& event = run.history[i];
    if (is_pause(event)) {
      const TimeUse use = event.event == "evaluation" ? TimeUse::kEvaluation : TimeUse::kSaving;
      part(ledger.parts, undone[i] ? TimeUse::kLost : use) += seconds_of(event);
      before_ready += seconds_of(event);
    } else if (event.event == "start" || event.event == "resume") {
      before_ready = 0;
    } else if (event.event == "ready") {  // the evaluation before the first step counts as evaluating
      part(ledger.parts, TimeUse::kStarting) += std::max(0.0, seconds_of(event) - before_ready);
    }
  }
}

// The clocks of two starts may differ, so each start is measured by itself.
void add_starts(const RunData& run, Ledger& ledger) {
  double wall = 0;
  const StartFacts* before = nullptr;
  for (const StartFacts& start : run.starts) {
    if (!is_known(start.began)) continue;
    if (!is_known(ledger.began)) ledger.began = start.began;
    if (before && is_known(before->ended)) {
      const double between = std::max(0.0, start.began - before->ended);
      const bool died = !before->was_wanted();
      (died ? part(ledger.parts, TimeUse::kDown) : ledger.not_running) += between;
      if (died) wall += between;
    }
    if (is_known(start.ended)) {
      wall += std::max(0.0, start.ended - start.began);
      ledger.ended = start.ended;
    }
    before = &start;
  }
  if (is_known(ledger.ended)) ledger.wall = wall;
}

// A worker that dies loses what it had not sent yet: if a later start resumed from an earlier step, the time between
// the last record of a start and its last sign of life is lost as well.
void add_unsent(const RunData& run, Ledger& ledger) {
  struct Seen {
    double until = -std::numeric_limits<double>::infinity(), began = until;
    int64_t step = 0;
  };
  std::map<uint32_t, Seen> seen;
  for (const StepRecord& record : run.ranks.front().records) {  // after a roll-back, lower numbers follow
    Seen& last = seen[record.start];
    last = {std::max(last.until, record.began + record.seconds), record.began, record.step};
  }
  for (const HistoryEvent& event : run.history) {
    Seen& last = seen[event.start];
    // Steps begin at "ready"; none may have been recorded yet.
    if (is_pause(event) || event.event == "ready") last.until = std::max(last.until, event.at);
    if (event.event == "roll_back" && last.began < event.at) last.step = event.line.value("to_step", event.step);
    if (event.event != "roll_back" && last.began < event.at) last.step = std::max(last.step, event.step);
  }
  ledger.lost_steps = 0;
  for (size_t i = 0; i + 1 < run.starts.size(); ++i) {
    const auto last = seen.find(static_cast<uint32_t>(run.starts[i].number));
    if (last == seen.end()) continue;
    const int64_t lost = last->second.step - run.starts[i + 1].step;
    if (lost <= 0) continue;
    ledger.lost_steps += lost;
    if (std::isfinite(last->second.until)) {
      part(ledger.parts, TimeUse::kLost) += std::max(0.0, run.starts[i].ended - last->second.until);
    }
  }
  for (const HistoryEvent& event : run.history) {
    if (event.event != "roll_back") continue;
    ledger.lost_steps += event.line.value("from_step", int64_t{0}) - event.line.value("to_step", int64_t{0});
  }
}

// The ledger from metrics.jsonl alone.
void add_metrics(const RunData& run, Ledger& ledger) {
  const MetricTable& training = run.training;
  // The curves of an imported run may begin late, with the steps of one line before the first, if lines are regular.
  const std::vector<int64_t>& step = training.step;
  const bool regular = run.imported && step.size() > 2 && step[1] - step[0] == step[2] - step[1];
  const int64_t first = regular ? std::max<int64_t>(0, 2 * step[0] - step[1]) : 0;
  ledger.steps = run.last_step() - first;
  double seconds = training.last("training_seconds");
  if (!is_known(seconds) && training.has("seconds_per_step")) {
    seconds = 0;
    const std::vector<double> each = training.column("seconds_per_step");
    int64_t before = first;
    for (size_t i = 0; i < training.rows(); ++i) {
      if (!is_known(each[i])) continue;
      seconds += each[i] * static_cast<double>(training.step[i] - before);
      before = training.step[i];
    }
  }
  if (is_known(seconds)) part(ledger.parts, TimeUse::kTraining) = seconds;
  for (const double each : run.evaluations.column("evaluation_seconds")) {
    if (is_known(each)) part(ledger.parts, TimeUse::kEvaluation) += each;
  }
  if (is_known(ledger.wall) && ledger.wall > 0) return;
  for (const MetricTable* table : {&run.training, &run.evaluations}) {
    for (const double time : table->time) {
      if (!is_known(time)) continue;
      ledger.began = is_known(ledger.began) ? std::min(ledger.began, time) : time;
      ledger.ended = is_known(ledger.ended) ? std::max(ledger.ended, time) : time;
    }
  }
  if (ledger.ended > ledger.began) {
    ledger.wall = ledger.ended - ledger.began;
  } else if (is_known(seconds)) {
    ledger.wall = seconds + part(ledger.parts, TimeUse::kEvaluation);
    ledger.estimated = true;
  }
}

}  // namespace

const char* time_use_name(TimeUse use) { return kUses[static_cast<size_t>(use)].name; }
const char* time_use_meaning(TimeUse use) { return kUses[static_cast<size_t>(use)].meaning; }

Ledger make_ledger(const RunData& run) {
  Ledger ledger;
  const bool recorded = run.steps_of(0) != nullptr && !run.steps_of(0)->records.empty();
  if (recorded) {
    add_steps(run, ledger);
    add_between_steps(run, ledger);
    add_events(run, ledger);
  }
  add_starts(run, ledger);
  if (recorded) add_unsent(run, ledger);
  if (!recorded) add_metrics(run, ledger);
  if (is_known(ledger.wall)) {
    const double known = std::accumulate(ledger.parts.begin(), ledger.parts.end(), 0.0);
    // Rounded times of an imported log may add up to more than its clock shows.
    if (!recorded && known > ledger.wall) ledger.wall = known;
    part(ledger.parts, TimeUse::kUnaccounted) = ledger.wall - known;
  }
  return ledger;
}

}  // namespace verbund
