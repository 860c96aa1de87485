// SPDX-License-Identifier: Apache-2.0
// Verdict 8: how long a step took.
#include <algorithm>

#include "core/human.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"
#include "statistics/resampling.h"
#include "statistics/trend.h"

namespace verbund {
namespace {

constexpr const char* kStepTimeInterval = "80 % interval, block bootstrap";

// Step times over the run: median and the middle 90 % of neighbours.
Chart course_chart(const std::vector<double>& step, const std::vector<double>& seconds) {
  constexpr size_t kBins = 300;
  Chart chart{"step_time", "Time of a step", "step", "seconds",
              "A flat line with a narrow band is good. A rise means that something slows down; a wide band means "
              "disturbances."};
  Series line{"median", {}, {}, {}, {}, Drawn::kLine}, band{"middle 90 %", {}, {}, {}, {}, Drawn::kBand};
  const size_t count = step.size(), bins = std::min(kBins, count);
  for (size_t i = 0; i < bins; ++i) {
    const auto begin = static_cast<ptrdiff_t>(i * count / bins), end = static_cast<ptrdiff_t>((i + 1) * count / bins);
    const std::vector<double> part(seconds.begin() + begin, seconds.begin() + end);
    const double x = step[static_cast<size_t>(begin + (end - begin) / 2)], y = median(part);
    line.x.push_back(x);
    line.y.push_back(y);
    band.x.push_back(x);
    band.y.push_back(y);
    band.low.push_back(quantile(part, 0.05));
    band.high.push_back(quantile(part, 0.95));
  }
  chart.series = {band, line};
  return chart;
}

struct Change {
  double share = 0;  // from the beginning to the end, relative to the median
  Bounds bounds;
  double p = 1;
};

Change change_over_run(const std::vector<double>& step, const std::vector<double>& seconds, double typical) {
  const Points points = thin(step, seconds, 150);
  const Trend trend = theil_sen(points.x, points.y);
  const double span = (points.x.back() - points.x.front()) / typical;
  return {trend.slope * span, {trend.interval.low * span, trend.interval.high * span}, mann_kendall(points.y)};
}

}  // namespace

Verdict step_time(const RunData& run) {
  Verdict verdict = ask("step_time", "How long did a step take?");
  verdict.in_short = "some steps were slow";
  verdict.rule =
      "Median over the steps of worker 0, without those that tune the bucket size; evaluating and saving do not count. "
      "A trend needs p < 0.01 in the Mann-Kendall test and 5 % or more. A straggler needs 10 % longer than the median "
      "of the others before it can exchange; the whole step takes the same time on all, because they wait for each "
      "other (with workers.sync_every: at the end of a round).";
  verdict.would_change = "Use larger or smaller batches (batch.tokens), more workers, or faster machines.";
  const std::string advice = advice_on_others(host_loads(run));
  if (!advice.empty()) verdict.would_change = advice;
  const StepSample sample = sample_steps(run);
  std::vector<double> step = sample.step, seconds = sample.seconds;
  const bool recorded = !seconds.empty();
  if (!recorded) {
    const std::vector<double> logged = run.training.column("seconds_per_step");
    for (size_t i = 0; i < logged.size(); ++i) {
      if (!is_known(logged[i])) continue;
      step.push_back(static_cast<double>(run.training.step[i]));
      seconds.push_back(logged[i]);
    }
  }
  if (seconds.empty()) return cannot_tell(verdict, "there are neither step records nor logged step times.");

  const double typical = median(seconds);
  if (advice.empty()) {
    verdict.would_change = fmt::format(
        "{} follow from the batch (batch.tokens), the number of workers, and the machines.", short_seconds(typical));
  }
  const Bounds bounds = block_bootstrap(seconds, [](const std::vector<double>& values) { return median(values); });
  const double high = quantile(seconds, 0.95);
  verdict.figures = {figure("median", typical, "s", bounds, kStepTimeInterval), figure("mean", mean(seconds), "s"),
                     figure("95 % were shorter than", high, "s"),
                     figure("steps looked at", static_cast<double>(seconds.size()), "")};
  verdict.sentence =
      recorded ? fmt::format("{} in the median, {} on average; 95 % of the steps took less than {}.",
                             short_seconds(typical), short_seconds(mean(seconds)), short_seconds(high))
               : fmt::format("{} in the median of {}, {} on average{}.", short_seconds(typical),
                             counted(static_cast<double>(seconds.size()), "logged mean", "logged means"),
                             short_seconds(mean(seconds)), run.imported ? ", evaluating and saving included" : "");
  verdict.finding = Grade::kNeutral;
  if (seconds.size() >= 20) {
    const Change change = change_over_run(step, seconds, typical);
    verdict.add("change from start to end", 100 * change.share, "%",
                {100 * change.bounds.low, 100 * change.bounds.high}, "80 % interval, Theil-Sen");
    verdict.add("p of no trend", change.p, "");
    if (change.p < 0.01 && std::abs(change.share) >= 0.05) {
      verdict.sentence += fmt::format(" Over the run they became {} {}.", percent(std::abs(change.share)),
                                      change.share > 0 ? "slower" : "faster");
      if (change.share > 0.1) verdict.finding = Grade::kBad;
    }
  }
  if (const auto straggler = find_straggler(run, sample)) {
    verdict.finding = Grade::kBad;
    const std::string who = run.worker_name(straggler->rank);
    verdict.sentence += fmt::format(
        " {} is a straggler: it needs {} longer than the others before it can exchange, and all wait for it.",
        capital(who), percent(straggler->factor - 1));
    verdict.would_change =
        fmt::format("Find out what slows {} down by {}: another program on its host, heat, fewer cores.", who,
                    percent(straggler->factor - 1));
  }
  for (size_t i = 0; i < sample.before_exchange.size() && sample.before_exchange.size() > 1; ++i) {
    verdict.add(fmt::format("{} before the exchange, median", run.worker_name(run.ranks[i].rank)),
                median(sample.before_exchange[i]), "s");
  }
  verdict.charts.push_back(course_chart(step, seconds));
  return verdict;
}

}  // namespace verbund
