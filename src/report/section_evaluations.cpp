// SPDX-License-Identifier: Apache-2.0
// Sections with the table of evaluations, and with curves that no verdict shows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page/number_format.h"
#include "record/dev_set_keys.h"
#include "report/run_page.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

constexpr size_t kRowsAtOnce = 30;  // more are folded

struct EvaluationColumn {
  std::string key;
  std::string name;
  int decimals;
  double factor;
  bool higher_is_better;
};

const EvaluationColumn kEvaluationColumns[] = {
    {"dev_bleu", "BLEU", 2, 1, true},
    {"dev_chrf", "chrF", 2, 1, true},
    {"dev_cross_entropy", "loss", 4, 1, false},
    {"dev_loss", "label-smoothed loss", 4, 1, false},
    {"dev_exact_sentences", "exact, %", 1, 100, true},
    {"dev_teacher_forced_piece_bleu", "teacher-forced BLEU of pieces", 2, 1, true},
    {"probe_cross_entropy", "loss of the training probe", 4, 1, false},
    {"evaluation_seconds", "seconds", 1, 1, false},
};

// Columns of the main dev set, then BLEU and loss of each extra one.
std::vector<EvaluationColumn> all_columns(const MetricTable& evaluations) {
  std::vector<EvaluationColumn> columns(std::begin(kEvaluationColumns), std::end(kEvaluationColumns));
  for (const std::string& set : extra_dev_sets(evaluations)) {
    columns.push_back({extra_dev_key(set, "bleu"), "BLEU, " + set, 2, 1, true});
    columns.push_back({extra_dev_key(set, "cross_entropy"), "loss, " + set, 4, 1, false});
  }
  return columns;
}

size_t best_row(const std::vector<double>& values, bool highest) {
  size_t best = values.size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_known(values[i])) continue;
    if (best == values.size() || (highest ? values[i] > values[best] : values[i] < values[best])) best = i;
  }
  return best;
}

Table all_rows(const MetricTable& evaluations) {
  Table table;
  table.id = "evaluations";
  table.columns = {{"step", true}, {"time"}};
  struct Shown {
    EvaluationColumn measure;
    std::vector<double> values;
    size_t best;
  };
  std::vector<Shown> shown;
  for (EvaluationColumn measure : all_columns(evaluations)) {
    if (!evaluations.has(measure.key)) continue;
    std::vector<double> values = evaluations.column(measure.key);
    if (measure.key == "dev_loss") {
      const bool has_entropy = evaluations.has("dev_cross_entropy");
      if (has_entropy && values == evaluations.column("dev_cross_entropy")) continue;  // no smoothing
      if (!has_entropy) measure.name = "loss";                                         // as an imported log has it
    }
    double largest = 0;
    for (const double value : finite(values)) largest = std::max(largest, std::abs(value * measure.factor));
    while (measure.decimals > 0 && largest * std::pow(10, measure.decimals) >= 9999.5) --measure.decimals;
    const bool is_quality = measure.key != "evaluation_seconds";
    const size_t best = is_quality ? best_row(values, measure.higher_is_better) : values.size();
    table.columns.push_back({measure.name, true});
    shown.push_back({measure, std::move(values), best});
  }
  for (size_t row = 0; row < evaluations.rows(); ++row) {
    const double step = static_cast<double>(evaluations.step[row]);
    std::vector<Cell> cells = {{counted(step), step}, moment_text(evaluations.time[row])};
    for (const Shown& column : shown) {
      const double value = column.values[row];
      if (!is_known(value)) {
        cells.emplace_back("-", kNotKnown);
        continue;
      }
      cells.emplace_back(fmt::format("{:.{}f}{}", value * column.measure.factor, column.measure.decimals,
                                     row == column.best ? " *" : ""),
                         value * column.measure.factor);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Evenly spread rows, the first and the last, and those with a best value.
Table some_rows(const Table& all) {
  Table some = all;
  some.id = "some_evaluations";
  some.rows.clear();
  const size_t stride = (all.rows.size() + kRowsAtOnce / 2 - 1) / (kRowsAtOnce / 2);
  for (size_t i = 0; i < all.rows.size(); ++i) {
    const auto has_best = [](const Cell& cell) { return cell.text.ends_with(" *"); };
    const bool is_best = std::any_of(all.rows[i].begin(), all.rows[i].end(), has_best);
    if (i % stride == 0 || i + 1 == all.rows.size() || is_best) some.rows.push_back(all.rows[i]);
  }
  return some;
}

}  // namespace

std::vector<Chart> dev_set_charts(const RunData& run) {
  const MetricTable& table = run.evaluations;
  const std::vector<std::string> sets = extra_dev_sets(table);
  std::vector<Chart> charts;
  if (sets.empty()) return charts;
  const auto add = [&](Chart& chart, const std::string& name, const std::string& key) {
    Series series{name, {}, {}, {}, {}, Drawn::kMarked};
    const std::vector<double> values = table.column(key);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!is_known(values[i])) continue;
      series.x.push_back(static_cast<double>(table.step[i]));
      series.y.push_back(values[i]);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  };
  Chart bleu{"dev_sets_bleu", "BLEU of each dev set", "step", "BLEU",
             "Higher is better. \"dev\" is the set that decides."};
  Chart loss{"dev_sets_loss", "Loss of each dev set", "step", "nats per token", "Lower is better."};
  add(bleu, "dev", "dev_bleu");
  add(loss, "dev", "dev_cross_entropy");
  for (const std::string& set : sets) {
    add(bleu, set, extra_dev_key(set, "bleu"));
    add(loss, set, extra_dev_key(set, "cross_entropy"));
  }
  for (Chart* chart : {&bleu, &loss}) {
    if (!chart->series.empty()) charts.push_back(std::move(*chart));
  }
  return charts;
}

Section evaluations_section(const RunData& run) {
  Section section = {"evaluations", "Evaluations", {}};
  if (run.evaluations.rows() == 0) return section;
  for (Chart& chart : dev_set_charts(run)) section.blocks.push_back(std::move(chart));
  Table all = all_rows(run.evaluations);
  section.blocks.push_back(Paragraph{"An asterisk marks the best value of a column."});
  if (all.rows.size() > kRowsAtOnce) {
    section.blocks.push_back(some_rows(all));
    all.folded = fmt::format("{} evaluations", counted(static_cast<double>(all.rows.size())));
  }
  section.blocks.push_back(all);
  return section;
}

Section curves_section(const RunData& run) {
  struct Curve {
    const char *key, *title, *unit, *hint;
    bool log;
  };
  static constexpr Curve kCurves[] = {
      {"gradient_norm", "Gradient norm", "norm before clipping",
       "It should settle; growing spikes are the first sign of divergence.", true},
      {"loss_scale", "Loss scale", "factor", "It rises slowly and falls at an overflow.", true},
  };
  Section section = {"curves", "Other curves", {}};
  for (const Curve& curve : kCurves) {
    if (!run.training.has(curve.key)) continue;
    Chart chart{curve.key, curve.title, "step", curve.unit, curve.hint};
    chart.log_y = curve.log;
    chart.series.push_back({"", run.training.steps(), run.training.column(curve.key)});
    section.blocks.push_back(chart);
  }
  return section;
}

}  // namespace verbund
