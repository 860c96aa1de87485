// The curves of several runs on one chart: by step, by time, by tokens.
#include <algorithm>
#include <cmath>

#include "report/comparison_parts.h"

namespace verbund {
namespace {

// A quantity that grows with the steps, known at some of them.
struct Growth {
  std::vector<double> step, value;

  // Between two known places on a straight line; from 0 before the first; NaN after the last.
  double at(double wanted) const {
    const auto next = std::lower_bound(step.begin(), step.end(), wanted);
    if (next == step.end()) return kNotKnown;
    const size_t i = static_cast<size_t>(next - step.begin());
    const double from_step = i == 0 ? 0 : step[i - 1], from = i == 0 ? 0 : value[i - 1];
    if (step[i] == from_step) return value[i];
    return from + (value[i] - from) * (wanted - from_step) / (step[i] - from_step);
  }
};

// Hours that were spent on training steps: pauses between starts do not count.
Growth training_hours(const RunData& run) {
  Growth hours;
  const std::vector<double> seconds = run.training.column("training_seconds");
  for (size_t row = 0; row < run.training.rows(); ++row) {
    if (!is_known(seconds[row])) continue;
    hours.step.push_back(static_cast<double>(run.training.step[row]));
    hours.value.push_back(seconds[row] / 3600);
  }
  if (!hours.step.empty()) return hours;
  for (size_t row = 0; row < run.training.rows(); ++row) {  // imported runs: by the clock
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

struct Axis {
  const char *id, *label, *title;
  Growth (*growth)(const RunData&);  // none: the steps themselves
};

constexpr Axis kAxes[] = {{"step", "step", "by step", nullptr},
                          {"time", "hours of training", "by time", training_hours},
                          {"tokens", "million target tokens", "by tokens", trained_tokens}};

struct Measure {
  const char *key, *name, *unit;
  bool of_training;
};
constexpr Measure kMeasures[] = {{"dev_bleu", "BLEU", "BLEU", false},
                                 {"dev_cross_entropy", "Cross-entropy of the dev set", "nats per token", false},
                                 {"dev_loss", "Loss of the dev set", "nats per token", false},
                                 {"train_loss", "Training loss", "nats per token", true}};

Chart chart_of(const NamedRuns& runs, const Measure& measure, const Axis& axis) {
  Chart chart;
  chart.id = std::string(measure.key) + "_by_" + axis.id;
  chart.title = std::string(measure.name) + " " + axis.title;
  chart.x_label = axis.label;
  chart.y_label = measure.unit;
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
  bool has_entropy = false;
  for (const Measure& measure : kMeasures) {
    if (std::string(measure.key) == "dev_loss" && has_entropy) continue;  // two curves of one shape
    for (const Axis& axis : kAxes) {
      if (measure.of_training && axis.growth != nullptr) continue;
      Chart chart = chart_of(runs, measure, axis);
      if (chart.series.empty()) continue;
      has_entropy |= std::string(measure.key) == "dev_cross_entropy";
      if (axis.growth == nullptr) chart.hint = "What a step is worth: the same batches, or larger ones?";
      if (axis.growth == training_hours)
        chart.hint = "What is good after an hour? The steps of all runs, without their pauses.";
      if (axis.growth == trained_tokens) chart.hint = "What is learned from the same amount of text.";
      section.blocks.push_back(std::move(chart));
    }
  }
  return section;
}

}  // namespace verbund
