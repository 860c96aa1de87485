// SPDX-License-Identifier: Apache-2.0
// The strip of charts on the first screen of a run: loss, scores, learning rate, tokens per second.
#include "report/run_page.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

void add_series(Chart& chart, const std::string& name, const MetricTable& table, const std::string& key, Drawn drawn) {
  if (!table.has(key)) return;
  Series series{name, {}, {}, {}, {}, drawn};
  const std::vector<double> values = table.column(key);
  for (size_t i = 0; i < values.size(); ++i) {
    if (drawn == Drawn::kMarked && !is_known(values[i])) continue;  // an evaluation without translations
    series.x.push_back(static_cast<double>(table.step[i]));
    series.y.push_back(values[i]);
  }
  chart.series.push_back(std::move(series));
}

void mark_best(Chart& chart, const RunData& run, const std::string& key, bool highest) {
  if (const BestValue best = best_of(run, key, highest); is_known(best.value)) {
    chart.marks.push_back({static_cast<double>(best.step), "best"});
  }
}

}  // namespace

std::vector<Chart> strip_charts(const RunData& run) {
  std::vector<Mark> resumes;
  for (const StartFacts& start : run.starts) {
    if (start.number > 0) resumes.push_back({static_cast<double>(start.step), "resumed"});
  }
  Chart loss{"loss", "Loss", "step", "nats per token", "Both fall; dev rises again when the model overfits."};
  Chart scores{"scores", "BLEU and chrF on dev", "step", "score, 0 to 100", "Higher is better."};
  Chart rate{"rate", "Learning rate", "step", "", "It rises while the model warms up, and then falls."};
  Chart speed{"speed", "Tokens per second", "step", "target tokens per second, all workers",
              "It should be flat; a slow fall means heat, a full disk, or other load on the machine."};
  for (Chart* chart : {&loss, &scores, &rate, &speed}) chart->marks = resumes;
  add_series(loss, "training", run.training, loss_key(run.training, "train"), Drawn::kLine);
  const std::string dev = loss_key(run.evaluations, "dev");
  add_series(loss, "dev", run.evaluations, dev, Drawn::kMarked);
  mark_best(loss, run, dev, false);
  add_series(scores, "BLEU", run.evaluations, "dev_bleu", Drawn::kMarked);
  add_series(scores, "chrF", run.evaluations, "dev_chrf", Drawn::kMarked);
  add_series(scores, "teacher-forced BLEU of pieces", run.evaluations, "dev_teacher_forced_piece_bleu", Drawn::kMarked);
  mark_best(scores, run, "dev_bleu", true);
  add_series(rate, "", run.training, "learning_rate", Drawn::kLine);
  add_series(speed, "", run.training, "target_tokens_per_second", Drawn::kLine);
  std::vector<Chart> strip;
  for (Chart* chart : {&loss, &scores, &rate, &speed}) {
    if (!chart->series.empty()) strip.push_back(std::move(*chart));
  }
  return strip;
}

}  // namespace verbund
