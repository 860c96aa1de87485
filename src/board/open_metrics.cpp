// SPDX-License-Identifier: Apache-2.0
#include "board/open_metrics.h"

#include <fmt/format.h>

#include "core/columns.h"

namespace verbund {
namespace {

struct MetricFamily {
  const char *name, *unit, *help;
};

// Families in the order of the output; all are gauges.
constexpr MetricFamily kFamilies[] = {
    {"verbund_run_state", "", "1 for the state that the run is in."},
    {"verbund_run_step", "", "Steps done."},
    {"verbund_run_last_step", "", "Steps of the whole run."},
    {"verbund_run_left_seconds", "seconds", "Expected time to the end of the run."},
    {"verbund_run_quiet_seconds", "seconds", "Time since the last sign of life."},
    {"verbund_train_loss", "", "Cross-entropy of the training batches per target token, in nats."},
    {"verbund_dev_loss", "", "Cross-entropy of the dev set per target token, in nats."},
    {"verbund_dev_bleu", "", "BLEU of the last evaluation."},
    {"verbund_dev_bleu_best", "", "The best BLEU so far."},
    {"verbund_dev_chrf", "", "chrF of the last evaluation."},
    {"verbund_learning_rate", "", "Learning rate of the last logged step."},
    {"verbund_target_tokens_per_second", "", "Target tokens per second of all workers."},
    {"verbund_workers", "", "Workers of the run."},
    {"verbund_step_phase_seconds", "seconds", "Mean time of a phase of a step, over the last 200 steps."},
    {"verbund_alert", "", "1 for each alert of the run."},
};

constexpr RunState kStates[] = {RunState::kTraining, RunState::kEvaluating, RunState::kStopped,
                                RunState::kFinished, RunState::kLost,       RunState::kDiverged,
                                RunState::kFailed,   RunState::kImported,   RunState::kUnclear};

}  // namespace

std::string metrics_label(std::string_view value) {
  std::string escaped;
  for (const char c : printable(value)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return escaped;
}

void OpenMetrics::sample(const char* name, const std::vector<std::pair<const char*, std::string>>& labels,
                         double value) {
  if (!std::isfinite(value)) return;
  std::string list;
  for (const auto& [key, text] : labels) {
    list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", key, metrics_label(text));
  }
  samples_.emplace_back(name, fmt::format("{}{{{}}} {:.10g}\n", name, list, value));
}

void OpenMetrics::add(const WatchedRun& run, const std::vector<Alert>& alerts) {
  const std::pair<const char*, std::string> name = {"run", run.name()};
  const MetricTable &train = run.training(), &dev = run.evaluations();
  for (const RunState state : kStates) {
    sample("verbund_run_state", {name, {"state", state_name(state)}}, state == run.state() ? 1 : 0);
  }
  sample("verbund_run_step", {name}, static_cast<double>(run.step()));
  if (run.last_step() > 0) sample("verbund_run_last_step", {name}, static_cast<double>(run.last_step()));
  sample("verbund_run_left_seconds", {name}, run.seconds_left());
  if (is_running(run.state())) sample("verbund_run_quiet_seconds", {name}, run.signs().quiet);
  if (!run.loss_key().empty()) sample("verbund_train_loss", {name}, train.last(run.loss_key()));
  sample("verbund_dev_loss", {name}, dev.last(dev.has("dev_cross_entropy") ? "dev_cross_entropy" : "dev_loss"));
  sample("verbund_dev_bleu", {name}, dev.last("dev_bleu"));
  double best = kNotKnown;
  for (const double bleu : dev.column("dev_bleu")) best = std::fmax(best, bleu);
  sample("verbund_dev_bleu_best", {name}, best);
  sample("verbund_dev_chrf", {name}, dev.last("dev_chrf"));
  sample("verbund_learning_rate", {name}, train.last("learning_rate"));
  sample("verbund_target_tokens_per_second", {name}, train.last("target_tokens_per_second"));
  if (run.workers() > 0) sample("verbund_workers", {name}, run.workers());
  for (const auto& [rank, phases] : run.phases()) {
    const auto recent = phases.over(phases.last_step() - 199, phases.last_step(), 1);
    if (recent.empty()) continue;
    const PhaseBucket& all = recent.front();
    for (const auto& [phase, seconds] :
         {std::pair{"data", all.waited}, {"compute", all.compute}, {"exchange", all.exposed}, {"update", all.update}}) {
      sample("verbund_step_phase_seconds", {name, {"rank", std::to_string(rank)}, {"phase", phase}},
             seconds / static_cast<double>(all.steps));
    }
  }
  for (const Alert& alert : alerts) sample("verbund_alert", {name, {"kind", alert.kind}}, 1);
}

std::string OpenMetrics::text() const {
  std::string text;
  for (const MetricFamily& family : kFamilies) {
    text += fmt::format("# TYPE {} gauge\n", family.name);
    if (*family.unit != '\0') text += fmt::format("# UNIT {} {}\n", family.name, family.unit);
    text += fmt::format("# HELP {} {}\n", family.name, family.help);
    for (const auto& [name, line] : samples_) {
      if (name == family.name) text += line;
    }
  }
  return text + "# EOF\n";
}

}  // namespace verbund
