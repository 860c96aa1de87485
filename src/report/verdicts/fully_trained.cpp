// SPDX-License-Identifier: Apache-2.0
// Verdict 2: whether the model is fully trained.
#include <algorithm>
#include <cmath>

#include "core/human.h"
#include "optim/schedule.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"
#include "statistics/least_squares.h"
#include "statistics/power_law.h"
#include "statistics/trend.h"

namespace verbund {
namespace {

constexpr size_t kFewest = 8;         // evaluations after the warm-up
constexpr double kSpan = 4;           // the last step over the first of them
constexpr double kWorthwhile = 0.01;  // relative: a smaller gain does not count
constexpr double kDecayed = 0.1;      // of the peak: below, the rate has decayed
constexpr const char* kInterval = "80 % interval, block bootstrap";

Points first_of(const Points& points, size_t count) {
  const auto end = static_cast<ptrdiff_t>(count);
  return {{points.x.begin(), points.x.begin() + end}, {points.y.begin(), points.y.begin() + end}};
}

// True if a curve fitted to the first four fifths predicts the last fifth.
bool predicts_last_fifth(const Points& points) {
  const size_t count = points.x.size(), known = count - std::max<size_t>(2, count / 5);
  const Points early = first_of(points, known);
  const PowerLaw fit = fit_power_law(early.x, early.y);
  std::vector<double> means;
  for (const PowerLaw& refit : refit_power_law(fit, early.x, early.y, {.repeats = 200})) {
    double sum = 0;
    for (size_t i = known; i < count; ++i) sum += refit.at(points.x[i]);
    means.push_back(sum / static_cast<double>(count - known));
  }
  const double noise = residual_deviation(fit, early.x, early.y) / std::sqrt(static_cast<double>(count - known));
  const Bounds bounds = middle(means, 0.95);
  const double seen = mean(std::span(points.y).subspan(known));
  return seen >= bounds.low - 2 * noise && seen <= bounds.high + 2 * noise;
}

// The remaining share of the peak learning rate, if the policy decays to zero; else 1.
double rate_left(const RunData& run) {
  const std::vector<double> rates = finite(run.training.column("learning_rate"));
  if (rates.empty()) return 1;
  const double left = rates.back() / *std::max_element(rates.begin(), rates.end());
  if (!run.config) return left < 0.02 ? left : 1;
  switch (run.config->schedule.policy) {
    case SchedulePolicy::kPolyDecay:
    case SchedulePolicy::kCosineDecay:
    case SchedulePolicy::kExpDecay:
    case SchedulePolicy::kPiecewiseConstant:
      return left;
    default:
      return 1;
  }
}

// BLEU gained per nat of loss in the later evaluations; NaN if they show no such relation.
double bleu_per_nat(const DevCurve& curve) {
  std::vector<double> loss, bleu;
  for (size_t i = curve.loss.size() / 3; i < curve.loss.size(); ++i) {
    if (!is_known(curve.bleu[i])) continue;
    loss.push_back(curve.loss[i]);
    bleu.push_back(curve.bleu[i]);
  }
  if (loss.size() < 6) return kNotKnown;
  const auto fit = least_squares({loss}, bleu);
  return fit && fit->explained > 0.8 ? -fit->coefficients[1].value : kNotKnown;
}

Trend late_trend(const DevCurve& curve) {
  const size_t from = curve.step.size() / 2;
  return theil_sen(std::span(curve.step).subspan(from), std::span(curve.loss).subspan(from));
}

std::string slope_only(const DevCurve& curve, Verdict& verdict) {
  if (curve.step.size() < 4) return "";
  const Trend trend = late_trend(curve);
  verdict.add("change of the dev loss per 1,000 steps, lately", 1000 * trend.slope, "nats",
              {1000 * trend.interval.low, 1000 * trend.interval.high}, "80 % interval, Theil-Sen");
  return fmt::format(" Recently the dev loss {} by {} per 1,000 steps.", trend.slope < 0 ? "fell" : "rose",
                     short_number(std::abs(1000 * trend.slope)));
}

bool trains_with_dropout(const RunData& run) {
  if (!run.config) return false;
  const ModelConfig& model = run.config->model;
  return model.dropout > 0 || model.attention_dropout > 0 || model.relu_dropout > 0;
}

Chart loss_chart(const RunData& run, const DevCurve& curve, const std::optional<TrainingChange>& change) {
  Chart chart{"dev_loss", "Loss on unseen sentences", "step", "nats per token",
              "Still falling at the right: more steps help. Flat: this schedule is exhausted. Rising: overfitting."};
  const char* train = curve.key == "dev_loss" ? "train_loss" : "train_cross_entropy";
  if (run.training.has(train)) {
    chart.series.push_back({trains_with_dropout(run) ? "training (with dropout)" : "training",
                            run.training.steps(),
                            run.training.column(train),
                            {},
                            {},
                            Drawn::kLine});
  }
  chart.series.push_back({"dev", curve.step, curve.loss, {}, {}, Drawn::kPoints});
  for (const StartFacts& start : run.starts) {
    if (start.number > 0) chart.marks.push_back({static_cast<double>(start.step), "resumed"});
  }
  if (change) chart.marks.push_back({static_cast<double>(change->step), change->what});
  return chart;
}

Series fitted(const PowerLaw& fit, const std::vector<PowerLaw>& refits, double from, double to) {
  Series band{"fitted, with 80 % interval", {}, {}, {}, {}, Drawn::kBand};
  for (int i = 0; i <= 60; ++i) {
    const double step = from * std::pow(to / from, i / 60.0);
    std::vector<double> values;
    for (const PowerLaw& refit : refits) values.push_back(refit.at(step));
    const Bounds bounds = middle(values, 0.8);
    band.x.push_back(step);
    band.y.push_back(fit.at(step));
    band.low.push_back(bounds.low);
    band.high.push_back(bounds.high);
  }
  return band;
}

Points points_from(const DevCurve& curve, double first_step) {
  Points points;
  for (size_t i = 0; i < curve.step.size(); ++i) {
    if (curve.step[i] < first_step) continue;
    points.x.push_back(curve.step[i]);
    points.y.push_back(curve.loss[i]);
  }
  return points;
}

void judge_divergence(Verdict& verdict, const Divergence& divergence, const DevCurve& whole) {
  const auto step = static_cast<double>(divergence.step);
  verdict.finding = Grade::kBad;
  verdict.would_change = fmt::format(
      "It diverged at step {}: train again with a smaller learning rate, a longer warm-up, or optimizer.clip_norm.",
      counted(step));
  verdict.sentence = fmt::format("No: the run diverged at step {}.", counted(step));
  if (whole.step.empty() || whole.step[whole.lowest()] >= step) return;
  verdict.sentence += fmt::format(" Its best was a dev loss of {} at step {}.",
                                  short_number(whole.loss[whole.lowest()]), counted(whole.step[whole.lowest()]));
}

Verdict& too_few_evaluations(Verdict& verdict, size_t count, const std::string& where, const DevCurve& curve) {
  verdict.would_change =
      fmt::format("There {} {} {}: evaluate more often (train.eval_every), or train for more steps.",
                  count == 1 ? "is" : "are", counted(static_cast<double>(count), "evaluation", "evaluations"), where);
  return cannot_tell(verdict, fmt::format("there {} {} ({} are needed to fit a curve).{}",
                                          count == 1   ? "is only one evaluation"
                                          : count == 0 ? "is no evaluation"
                                                       : fmt::format("are only {} evaluations", count),
                                          where, kFewest, slope_only(curve, verdict)));
}

Verdict& rate_has_decayed(Verdict& verdict, double left, double last, const DevCurve& curve) {
  verdict.add("learning rate, of its peak", 100 * left, "%");
  verdict.would_change = fmt::format(
      "At {} of its peak the rate changes nothing more: train with a schedule that decays over more than {} steps "
      "(schedule.decay_steps).",
      percent(left), counted(last));
  return cannot_tell(verdict, fmt::format("the learning rate has decayed to {} of its peak, which flattens any "
                                          "curve: this schedule has little left to gain, a longer one perhaps.{}",
                                          percent(left), slope_only(curve, verdict)));
}

void judge_rise(Verdict& verdict, const DevCurve& curve) {
  const std::string best = counted(curve.step[curve.lowest()]);
  verdict.finding = Grade::kBad;
  verdict.in_short = "it was trained past its best";
  verdict.would_change =
      fmt::format("Use the checkpoint of step {}. More data, more dropout or a smaller model reach further.", best);
  verdict.sentence = fmt::format(
      "It is past its best: the dev loss was lowest ({}) at step {} and has risen since; more steps under this "
      "schedule make it worse.{}",
      short_number(curve.loss[curve.lowest()]), best, slope_only(curve, verdict));
}

// By what twice the steps would gain. `now`: the dev loss at the last step.
void judge_gain(Verdict& verdict, const Points& points, const DevCurve& curve, double now, double last) {
  const PowerLaw fit = fit_power_law(points.x, points.y);
  const std::vector<PowerLaw> refits = refit_power_law(fit, points.x, points.y, {.repeats = 300});
  std::vector<double> gains;
  for (const PowerLaw& refit : refits) gains.push_back(refit.at(last) - refit.at(2 * last));
  const double gain = fit.at(last) - fit.at(2 * last);
  const Bounds bounds = middle(gains, 0.8);
  verdict.add("gain of twice the steps", gain, "nats per token", bounds, kInterval);
  verdict.add("floor of the fitted curve (L0)", fit.floor, "nats per token");
  verdict.charts.front().series.push_back(fitted(fit, refits, points.x.front(), 2 * last));
  const double per_nat = bleu_per_nat(curve);
  std::string bleu;
  if (is_known(per_nat)) {
    verdict.figures.push_back(
        figure("the same in BLEU", per_nat * gain, "", {per_nat * bounds.low, per_nat * bounds.high}, kInterval));
    bleu = fmt::format(", about {:.1f} BLEU", per_nat * gain);
  }
  const std::string what =
      fmt::format("twice the steps would lower the dev loss by {} ({} to {}), {} of it{}", short_number(gain),
                  short_number(bounds.low), short_number(bounds.high), percent(gain / now), bleu);
  if (bounds.high < kWorthwhile * now) {
    verdict.finding = Grade::kGood;
    verdict.would_change = fmt::format(
        "Twice the steps bring {} less loss: use another schedule, more or other data, or a larger model instead.",
        percent(gain / now));
    verdict.sentence = fmt::format("Yes, under this schedule: {}.", what);
  } else if (bounds.low > kWorthwhile * now) {
    verdict.finding = Grade::kBad;
    verdict.in_short = "more steps would help";
    verdict.would_change = fmt::format("Train for more steps (train.max_steps): twice {} would bring {} less loss.",
                                       counted(last), percent(gain / now));
    verdict.sentence = fmt::format("No, not yet: {}.", what);
  } else {
    verdict.finding = Grade::kNeutral;
    verdict.would_change = fmt::format("Train for more steps (train.max_steps), if {} less loss is worth twice {}.",
                                       percent(gain / now), counted(last));
    verdict.sentence = fmt::format("Nearly, under this schedule: {}.", what);
  }
}

}  // namespace

Verdict fully_trained(const RunData& run, const Ledger& ledger) {
  Verdict verdict = ask("fully_trained", "Is the model fully trained?");
  verdict.rule = fmt::format(
      "L(s) = L0 + A s^-a is fitted to the dev loss after the warm-up, and used only if a fit to the first four fifths "
      "predicts the last fifth. Fully trained: twice the steps would lower the loss by less than {}, with the whole 80 "
      "% interval. This takes {} evaluations over a {:.0f}-fold span of steps, all in the last stage of a mixture. "
      "The end of a run proves nothing. All of it holds for this learning-rate schedule.",
      percent(kWorthwhile), kFewest, kSpan);
  verdict.would_change = "Evaluate more often (train.eval_every), or train for more steps (train.max_steps).";
  const std::optional<TrainingChange> change = last_change(run);
  const DevCurve whole = dev_curve(run), curve = dev_curve(run, change ? change->step : 0);
  if (!whole.step.empty()) verdict.charts.push_back(loss_chart(run, whole, change));
  if (const auto divergence = find_divergence(run, ledger)) {
    judge_divergence(verdict, *divergence, whole);
    return verdict;
  }
  if (whole.step.empty())
    return cannot_tell(verdict, "the model was never evaluated on the dev set after its first step.");
  const double warm = warmup_end(run);
  const Points points = points_from(curve, warm);
  const size_t count = points.x.size();
  const double now = whole.loss.back(), last = whole.step.back();
  verdict.add("dev loss at the last evaluation", now, "nats per token");
  verdict.add("lowest dev loss", whole.loss[whole.lowest()], "nats per token");
  const bool counts_from_change = change && static_cast<double>(change->step) >= warm;
  const std::string where = counts_from_change ? "since " + change->text() : "after the warm-up";
  verdict.add(fmt::format("evaluations {}", where), static_cast<double>(count), "");
  if (count < kFewest) return too_few_evaluations(verdict, count, where, curve);
  if (points.x.back() < kSpan * points.x.front()) {
    return cannot_tell(
        verdict, fmt::format("the evaluations {} span only steps {} to {}; a fit needs a {:.0f}-fold span.{}", where,
                             counted(points.x.front()), counted(points.x.back()), kSpan, slope_only(curve, verdict)));
  }
  if (const double left = rate_left(run); left < kDecayed) return rate_has_decayed(verdict, left, last, curve);
  if (const Trend late = late_trend(curve); late.interval.low > 0 && curve.lowest() + 2 < curve.step.size()) {
    judge_rise(verdict, curve);
    return verdict;
  }
  if (const auto rise = dev_rise(run, change ? change->step : 0); rise && rise->is_proven()) {
    return cannot_tell(verdict, fmt::format("the dev loss has risen by {} since step {} ({}), and the curve that is "
                                            "fitted can only fall.{}",
                                            percent(rise->share), counted(static_cast<double>(rise->best)),
                                            p_value(rise->p), slope_only(curve, verdict)));
  }
  if (!predicts_last_fifth(points)) {
    return cannot_tell(verdict,
                       fmt::format("the curve fitted to the first four fifths does not predict the last fifth.{}",
                                   slope_only(curve, verdict)));
  }
  judge_gain(verdict, points, curve, now, last);
  return verdict;
}

}  // namespace verbund
