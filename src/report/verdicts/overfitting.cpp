// SPDX-License-Identifier: Apache-2.0
// Verdict 3: whether the model was overfitting.
#include <algorithm>

#include "core/human.h"
#include "page/number_format.h"
#include "record/dev_set_keys.h"
#include "report/corpora_seen.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"
#include "statistics/trend.h"

namespace verbund {
namespace {

double value_at(const MetricTable& table, const std::string& key, int64_t step) {
  const auto found = std::lower_bound(table.step.begin(), table.step.end(), step);
  if (found == table.step.end() || *found != step) return kNotKnown;
  return table.column(key)[static_cast<size_t>(found - table.step.begin())];
}

// The trend of the gap between dev and training pairs, evaluated alike.
std::string describe_gap(const RunData& run, Verdict& verdict) {
  const std::vector<double> dev = run.evaluations.column("dev_cross_entropy"),
                            probe = run.evaluations.column("probe_cross_entropy");
  std::vector<double> step, gap;
  for (size_t i = 0; i < dev.size(); ++i) {
    if (!is_known(dev[i]) || !is_known(probe[i]) || run.evaluations.step[i] == 0) continue;
    step.push_back(static_cast<double>(run.evaluations.step[i]));
    gap.push_back(dev[i] - probe[i]);
  }
  if (step.size() < 4) return "";
  const Points points = thin(step, gap);
  const Trend trend = theil_sen(points.x, points.y);
  verdict.add("distance of dev to training pairs, last", gap.back(), "nats per token");
  verdict.add("its growth per 1,000 steps", 1000 * trend.slope, "nats per token",
              {1000 * trend.interval.low, 1000 * trend.interval.high}, "80 % interval, Theil-Sen");
  Chart chart{"probe_gap", "Gap between dev and training pairs, evaluated alike", "step", "nats per token",
              "A growing gap: the model memorises its training pairs."};
  chart.series.push_back({"dev minus training pairs", step, gap, {}, {}, Drawn::kPoints});
  verdict.charts.push_back(std::move(chart));
  if (!(trend.interval.low > 0)) return " There is no proof that its gap to pairs it has trained on grows.";
  return fmt::format("{} by {} per 1,000 steps.",
                     gap.back() > 0 ? " It does better on pairs it has trained on, and that gap grows"
                                    : " The difference between the losses of dev pairs and of training pairs grows",
                     short_number(1000 * trend.slope));
}

Verdict without_sentences(const RunData& run, Verdict& verdict, const DevCurve& curve) {
  const size_t best = curve.lowest();
  const double rise = curve.loss.back() / curve.loss[best] - 1;
  verdict.figures.push_back(step_figure("step of the lowest dev loss", curve.step[best]));
  verdict.add("dev loss since then", 100 * rise, "%");
  return cannot_tell(
      verdict,
      fmt::format("{}. The dev loss was lowest ({}) at step {}{}.",
                  run.imported
                      ? "an imported run has no losses of single sentences, and without them a rise may be chance"
                      : "there are no losses of single sentences, and without them a rise may be chance",
                  short_number(curve.loss[best]), counted(curve.step[best]),
                  best + 1 == curve.step.size() ? ", the last evaluation"
                                                : fmt::format(" and is {} higher at the end", percent(rise))));
}

// A model that was trained before may have seen the same pairs then.
std::string in_the_first_epoch(const RunData& run, double epochs) {
  const std::string seen = fmt::format("only {} of an epoch was seen", short_number(epochs));
  if (run.config && starts_trained(run.config->train))
    return seen + " in this run, and how often its model had seen the same pairs before is not on record.";
  return seen + ": no pair twice, so the training loss is itself that of unseen sentences.";
}

// The change of the loss of each dev set at the same time.
std::string by_dev_set(const RunData& run, const DevRise& rise, Verdict& verdict) {
  std::vector<std::string> sets;
  for (const std::string& set : extra_dev_sets(run.evaluations)) {
    const std::string key = extra_dev_key(set, "cross_entropy");
    const double before = value_at(run.evaluations, key, rise.best), now = value_at(run.evaluations, key, rise.last);
    if (!is_known(before) || !is_known(now)) continue;
    verdict.add("change of the loss, " + set, now - before, "nats per token");
    sets.push_back(fmt::format("{} {} from {} to {}", set, now > before ? "rose" : "fell", short_number(before),
                               short_number(now)));
  }
  return sets.empty() ? "" : fmt::format(" Of the dev sets, {}.", list_text(sets));
}

}  // namespace

Verdict overfitting(const RunData& run, const Ledger& ledger) {
  Verdict verdict = ask("overfitting", "Was it overfitting?");
  verdict.rule =
      "The best evaluation is chosen by one half of the dev sentences; whether the last is worse is tested on the "
      "other half, by a sign-flip test on the sentences' differences (p < 0.05). So the choice itself cannot cause an "
      "alarm. In the first epoch of a corpus hardly any pair is seen twice, so nothing can be memorised. "
      "With stages of a mixture, the last one is judged; a rise in it may be what it forgets.";
  verdict.would_change =
      "Evaluate more often (train.eval_every), on at least 40 dev sentences, for more than an epoch.";
  if (const auto divergence = find_divergence(run, ledger)) {
    return cannot_tell(verdict, fmt::format("the run diverged at step {}: a broken model memorises nothing.",
                                            counted(static_cast<double>(divergence->step))));
  }
  const DevCurve curve = dev_curve(run);
  const double epochs = max_epochs(run);
  if (curve.step.empty())
    return cannot_tell(verdict, "the model was never evaluated on the dev set after its first step.");
  const std::string gap = describe_gap(run, verdict);
  if (epochs < 1) return cannot_tell(verdict, in_the_first_epoch(run, epochs));
  if (run.sentence_losses.empty()) return without_sentences(run, verdict, curve);
  const std::optional<TrainingChange> change = last_change(run);
  const int64_t from = change ? change->step : 0;
  const std::string since = change ? fmt::format(" since {}", change->text()) : "";
  const std::vector<const SentenceLosses*> evaluations = comparable_evaluations(run, from);
  if (evaluations.size() < kFewestJudgedEvaluations) {
    return cannot_tell(verdict,
                       fmt::format("there {} with losses of single sentences{} ({} are needed).",
                                   evaluations.size() == 1 ? "is only one evaluation"
                                                           : fmt::format("are only {} evaluations", evaluations.size()),
                                   since, kFewestJudgedEvaluations));
  }
  const std::optional<DevRise> found = dev_rise(run, from);
  if (!found) {
    return cannot_tell(verdict, fmt::format("{} dev sentences are too few to tell a rise from chance ({} are needed).",
                                            evaluations.back()->tokens.size(), kFewestJudgedSentences));
  }
  const DevRise rise = *found;
  const std::string best_step = counted(static_cast<double>(rise.best));
  if (rise.best == rise.last) {
    verdict.finding = Grade::kGood;
    verdict.would_change = "No change is needed: the last evaluation is the best.";
    verdict.sentence =
        fmt::format("No: the last evaluation, at step {}, has the lowest loss of half of the dev sentences{}.{}",
                    best_step, since, gap);
    return verdict;
  }
  verdict.figures.push_back(step_figure("best step, by one half of the sentences", static_cast<double>(rise.best)));
  verdict.add("loss of the other half since then", 100 * rise.share, "%");
  verdict.add("p of no rise", rise.p, "");
  if (!rise.is_proven()) {
    verdict.finding = Grade::kGood;
    verdict.would_change = fmt::format("No change is needed: a change of {} may be chance.", percent(rise.share));
    verdict.sentence = fmt::format(
        "No sign of it: the dev loss at the end differs from the best{}, at step {}, by no more than chance ({}).{}",
        since, best_step, p_value(rise.p), gap);
    return verdict;
  }
  if (change) {
    verdict.would_change =
        "Let the last stage draw a share of all corpora, or judge by the dev set of the corpora that it draws.";
    return cannot_tell(
        verdict, fmt::format("{}, and what is no longer drawn as before is forgotten, which also raises the dev loss: "
                             "by {} since step {} ({}).{}{}",
                             change->text(), percent(rise.share), best_step, p_value(rise.p),
                             by_dev_set(run, rise, verdict), gap));
  }
  const double bleu_best = value_at(run.evaluations, "dev_bleu", rise.best),
               bleu_last = value_at(run.evaluations, "dev_bleu", rise.last);
  if (bleu_last > bleu_best) {
    verdict.finding = Grade::kNeutral;
    verdict.would_change = fmt::format(
        "The loss rose by {}: more label smoothing (model.label_smoothing) or dropout makes it less sure of itself.",
        percent(rise.share));
    verdict.sentence = fmt::format(
        "It became over-confident, not worse: the dev loss rose by {} since step {} ({}), but BLEU rose, too, "
        "from {:.1f} to {:.1f}.{}",
        percent(rise.share), best_step, p_value(rise.p), bleu_best, bleu_last, gap);
    return verdict;
  }
  verdict.finding = Grade::kBad;
  verdict.in_short = "it overfitted";
  verdict.would_change = fmt::format(
      "Stop at step {} (evaluate.stop_on), or use more data, more dropout, or a smaller model, against the rise of {}.",
      best_step, percent(rise.share));
  verdict.sentence = fmt::format(
      "Yes: the loss of one half of the dev sentences was lowest at step {}, and that of the other half has risen by "
      "{} since ({}). Use the best checkpoint, not the last.{}",
      best_step, percent(rise.share), p_value(rise.p), gap);
  return verdict;
}

}  // namespace verbund
