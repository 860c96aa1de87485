// SPDX-License-Identifier: Apache-2.0
// Whether the dev loss has risen since its best, and since when a run was trained in one way.
#include <algorithm>
#include <limits>

#include "page/number_format.h"
#include "report/json_values.h"
#include "report/verdicts/evidence.h"
#include "statistics/resampling.h"

namespace verbund {
namespace {

constexpr const char* kOtherSettings = "training with other settings";

// Mean loss per token over every second sentence.
double half_loss(const SentenceLosses& losses, size_t half) {
  double sum = 0, tokens = 0;
  for (size_t i = half; i < losses.tokens.size(); i += 2) {
    sum += losses.cross_entropy[i];
    tokens += losses.tokens[i];
  }
  return sum / tokens;
}

const StartFacts* start_of(const RunData& run, uint32_t number) {
  const auto found = std::ranges::find(run.starts, static_cast<int>(number), &StartFacts::number);
  return found == run.starts.end() ? nullptr : &*found;
}

// Without a history, the first line of metrics of the last stage.
std::optional<TrainingChange> last_stage_in_metrics(const RunData& run) {
  const std::vector<double> stage = run.training.column("stage");
  for (size_t i = stage.size(); i-- > 1;) {
    if (is_known(stage[i]) && is_known(stage[i - 1]) && stage[i] != stage[i - 1])
      return TrainingChange{run.training.step[i], fmt::format("stage {:.0f} of the mixture", stage[i])};
  }
  return std::nullopt;
}

}  // namespace

std::string TrainingChange::text() const { return fmt::format("{} began after step {}", what, counted(double(step))); }

std::optional<TrainingChange> last_change(const RunData& run) {
  if (run.history.empty()) return last_stage_in_metrics(run);
  std::vector<TrainingChange> changes;
  for (const HistoryEvent& event : run.history) {
    if (event.event == "stage") {
      changes.push_back({event.step, "stage " + text_at(event.line, "name")});
    } else if (event.event == "resume" || event.event == "roll_back") {
      const double number = number_at(event.line, event.event == "resume" ? "from_step" : "to_step");
      const int64_t to = is_known(number) ? static_cast<int64_t>(number) : std::numeric_limits<int64_t>::max();
      if (event.event == "resume") {
        std::erase_if(changes, [&](const TrainingChange& change) { return change.step >= to; });
      } else {  // undoes stages, but not the settings that the run was resumed with
        std::erase_if(changes,
                      [&](const TrainingChange& change) { return change.step > to && change.what != kOtherSettings; });
        for (TrainingChange& change : changes) change.step = std::min(change.step, to);
      }
      const StartFacts* start = start_of(run, event.start);
      if (event.event == "resume" && start != nullptr && !start->differences.empty())
        changes.push_back({start->step, kOtherSettings});
    }
  }
  if (changes.empty()) return std::nullopt;
  return changes.back();
}

std::vector<const SentenceLosses*> comparable_evaluations(const RunData& run, int64_t from) {
  std::vector<const SentenceLosses*> kept;
  for (const SentenceLosses& losses : run.sentence_losses) {
    const bool same = losses.tokens.size() == run.sentence_losses.back().tokens.size();
    if (losses.step > 0 && losses.step >= from && same) kept.push_back(&losses);
  }
  return kept;
}

std::optional<DevRise> dev_rise(const RunData& run, int64_t from) {
  const std::vector<const SentenceLosses*> evaluations = comparable_evaluations(run, from);
  if (evaluations.size() < kFewestJudgedEvaluations || evaluations.back()->tokens.size() < kFewestJudgedSentences)
    return std::nullopt;
  const SentenceLosses& last = *evaluations.back();
  const SentenceLosses& best = **std::min_element(
      evaluations.begin(), evaluations.end(),
      [](const SentenceLosses* a, const SentenceLosses* b) { return half_loss(*a, 0) < half_loss(*b, 0); });
  DevRise rise = {best.step, last.step};
  if (&best == &last) return rise;
  std::vector<double> differences;
  for (size_t i = 1; i < last.tokens.size(); i += 2)
    differences.push_back(last.cross_entropy[i] - best.cross_entropy[i]);
  rise.p = sign_flip_test(differences);
  rise.share = half_loss(last, 1) / half_loss(best, 1) - 1;
  return rise;
}

}  // namespace verbund
