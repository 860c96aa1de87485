// SPDX-License-Identifier: Apache-2.0
// Curves of a comparison: several runs on one chart, by step, by time, by tokens.
#include <algorithm>
#include <cmath>
#include <set>

#include "report/comparison.h"

namespace verbund {
namespace {

// A quantity that grows with the steps and is known at some of them.
struct Growth {
  std::vector<double> step, value;

  // Linear interpolation, from 0 before the first known step; NaN after the last.
  double at(double wanted) const {
    const auto next = std::lower_bound(step.begin(), step.end(), wanted);
    if (next == step.end()) return kNotKnown;
    const size_t i = static_cast<size_t>(next - step.begin());
    const double from_step = i == 0 ? 0 : step[i - 1], from = i == 0 ? 0 : value[i - 1];
    if (step[i] == from_step) return value[i];
    return from + (value[i] - from) * (wanted - from_step) / (step[i] - from_step);
  }
};

// Hours spent on training steps, without pauses between starts.
Growth training_hours(const RunData& run) {
  Growth hours;
  const std::vector<double> seconds = run.training.column("training_seconds");
  for (size_t row = 0; row < run.training.rows(); ++row) {
    if (!is_known(seconds[row])) continue;
    hours.step.push_back(static_cast<double>(run.training.step[row]));
    hours.value.push_back(seconds[row] / 3600);
  }
  if (!hours.step.empty()) return hours;
  for (size_t row = 0; row < run.training.rows(); ++row) {  // imported runs: by wall clock
    const double since = run.training.time[row] - run.training.time[0];
    if (!is_known(since)) continue;
    hours.step.push_back(static_cast<double>(run.training.step[row]));
    hours.value.push_back(since / 3600);
  }
  return hours;
}

// Millions of target tokens trained on.
Growth trained_tokens(const RunData& run) {
  Growth tokens;
  const std::vector<double> rate = run.training.column("target_tokens_per_second"),
                            seconds = run.training.column("seconds_per_step");
  double sum = 0, before = 0;
  for (size_t row = 0; row < run.training.rows(); ++row) {
    const auto step = static_cast<double>(run.training.step[row]);
    if (!is_known(rate[row]) || !is_known(seconds[row])) continue;
    sum += (step - before) * rate[row] * seconds[row] / 1e6;
    before = step;
    tokens.step.push_back(step);
    tokens.value.push_back(sum);
  }
  return tokens;
}

struct CurveAxis {
  const char *id, *label, *title;
  Growth (*growth)(const RunData&);  // null: the steps themselves
};

constexpr CurveAxis kCurveAxes[] = {{"step", "step", "by step", nullptr},
                                    {"time", "hours of training", "by time", training_hours},
                                    {"tokens", "million target tokens", "by tokens", trained_tokens}};

struct ComparedMeasure {
  const char *key, *name, *unit;
  bool of_training;
  const char* unless;  // left out where this one is shown: the curves have the same shape
};
constexpr ComparedMeasure kComparedMeasures[] = {
    {"dev_bleu", "BLEU", "BLEU", false, ""},
    {"dev_cross_entropy", "Loss of the dev set", "nats per token", false, ""},
    {"dev_loss", "Label-smoothed loss of the dev set", "nats per token", false, "dev_cross_entropy"},
    {"train_cross_entropy", "Training loss", "nats per token", true, ""},
    {"train_loss", "Label-smoothed training loss", "nats per token", true, "train_cross_entropy"}};

Chart chart_of(const NamedRuns& runs, const ComparedMeasure& measure, const CurveAxis& axis) {
  Chart chart{std::string(measure.key) + "_by_" + axis.id, std::string(measure.name) + " " + axis.title, axis.label,
              measure.unit};
  for (const NamedRun& each : runs) {
    const MetricTable& table = measure.of_training ? each.run->training : each.run->evaluations;
    if (!table.has(measure.key)) continue;
    Series series;
    series.name = each.name;
    series.x = table.steps();
    series.y = table.column(measure.key);
    if (axis.growth != nullptr) {
      const Growth growth = axis.growth(*each.run);
      for (double& x : series.x) x = growth.at(x);
    }
    const bool shown = std::any_of(series.x.begin(), series.x.end(), [](double x) { return is_known(x); });
    if (shown) chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

Section curves_section(const NamedRuns& runs) {
  Section section = {"curves", "Curves", {}};
  std::set<std::string> shown;
  for (const ComparedMeasure& measure : kComparedMeasures) {
    if (shown.contains(measure.unless)) continue;
    for (const CurveAxis& axis : kCurveAxes) {
      if (measure.of_training && axis.growth != nullptr) continue;
      Chart chart = chart_of(runs, measure, axis);
      if (chart.series.empty()) continue;
      shown.insert(measure.key);
      if (axis.growth == nullptr) chart.hint = "Progress per step; runs with larger batches see more text per step.";
      if (axis.growth == training_hours) chart.hint = "Progress per hour of training, without pauses.";
      if (axis.growth == trained_tokens) chart.hint = "Progress per amount of text.";
      section.blocks.push_back(std::move(chart));
    }
  }
  return section;
}

}  // namespace verbund
