// SPDX-License-Identifier: Apache-2.0
// Verdict 3: whether the model was overfitting.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/human.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"
#include "statistics/resampling.h"
#include "statistics/trend.h"

namespace verbund {
namespace {

constexpr double kLevel = 0.05;
constexpr size_t kFewestSentences = 40, kFewestEvaluations = 3;

// Mean loss per token over every second sentence.
double half_loss(const SentenceLosses& losses, size_t half) {
  double sum = 0, tokens = 0;
  for (size_t i = half; i < losses.tokens.size(); i += 2) {
    sum += losses.cross_entropy[i];
    tokens += losses.tokens[i];
  }
  return sum / tokens;
}

// Evaluations of the same sentences: those with as many as the last.
std::vector<const SentenceLosses*> comparable(const RunData& run) {
  std::vector<const SentenceLosses*> kept;
  for (const SentenceLosses& losses : run.sentence_losses) {
    if (losses.step > 0 && losses.tokens.size() == run.sentence_losses.back().tokens.size()) kept.push_back(&losses);
  }
  return kept;
}

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
  if (trend.interval.low > 0)
    return fmt::format(" It does better on pairs it has trained on, and that gap grows by {} per 1,000 steps.",
                       short_number(1000 * trend.slope));
  return " Its gap to pairs it has trained on does not grow.";
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

}  // namespace

Verdict overfitting(const RunData& run, const Ledger& ledger) {
  Verdict verdict = ask("overfitting", "Was it overfitting?");
  verdict.rule = fmt::format(
      "The best evaluation is chosen by one half of the dev sentences; whether the last is worse is tested on the "
      "other half, by a sign-flip test on the sentences' differences (p < {}). So the choice itself cannot cause an "
      "alarm. In the first epoch no sentence is seen twice, so nothing can be memorised.",
      kLevel);
  verdict.would_change =
      "Evaluate more often (train.eval_every), on at least 40 dev sentences, for more than an epoch.";
  if (const auto divergence = find_divergence(run, ledger)) {
    return cannot_tell(verdict, fmt::format("the run diverged at step {}: a broken model memorises nothing.",
                                            counted(static_cast<double>(divergence->step))));
  }
  const DevCurve curve = dev_curve(run);
  const double epochs = epochs_seen(run);
  if (curve.step.empty())
    return cannot_tell(verdict, "the model was never evaluated on the dev set after its first step.");
  const std::string gap = describe_gap(run, verdict);
  if (epochs < 1) {
    return cannot_tell(
        verdict,
        fmt::format("only {} of an epoch was seen: no sentence twice, so the training loss is itself that of unseen "
                    "sentences.",
                    short_number(epochs)));
  }
  const std::vector<const SentenceLosses*> evaluations = comparable(run);
  if (run.sentence_losses.empty()) return without_sentences(run, verdict, curve);
  if (evaluations.size() < kFewestEvaluations) {
    return cannot_tell(verdict,
                       fmt::format("there {} with losses of single sentences ({} are needed).",
                                   evaluations.size() == 1 ? "is only one evaluation"
                                                           : fmt::format("are only {} evaluations", evaluations.size()),
                                   kFewestEvaluations));
  }
  const SentenceLosses& last = *evaluations.back();
  if (last.tokens.size() < kFewestSentences) {
    return cannot_tell(verdict, fmt::format("{} dev sentences are too few to tell a rise from chance ({} are needed).",
                                            last.tokens.size(), kFewestSentences));
  }
  const SentenceLosses& best = **std::min_element(
      evaluations.begin(), evaluations.end(),
      [](const SentenceLosses* a, const SentenceLosses* b) { return half_loss(*a, 0) < half_loss(*b, 0); });
  if (&best == &last) {
    verdict.finding = Grade::kGood;
    verdict.would_change = "There is nothing to mend: the last evaluation is the best.";
    verdict.sentence = fmt::format("No: the last evaluation, at step {}, has the lowest dev loss.{}",
                                   counted(static_cast<double>(last.step)), gap);
    return verdict;
  }
  std::vector<double> differences;
  for (size_t i = 1; i < last.tokens.size(); i += 2)
    differences.push_back(last.cross_entropy[i] - best.cross_entropy[i]);
  const double p = sign_flip_test(differences);
  const double rise = half_loss(last, 1) / half_loss(best, 1) - 1;
  verdict.figures.push_back(step_figure("best step, by one half of the sentences", static_cast<double>(best.step)));
  verdict.add("loss of the other half since then", 100 * rise, "%");
  verdict.add("p of no rise", p, "");
  if (p >= kLevel) {
    verdict.finding = Grade::kGood;
    verdict.would_change = fmt::format("There is nothing to mend: a rise of {} is chance.", percent(rise));
    verdict.sentence = fmt::format(
        "No sign of it: the dev loss at the end differs from the best, at step {}, by no more than chance ({}).{}",
        counted(static_cast<double>(best.step)), p_value(p), gap);
    return verdict;
  }
  const double bleu_best = value_at(run.evaluations, "dev_bleu", best.step),
               bleu_last = value_at(run.evaluations, "dev_bleu", last.step);
  if (bleu_last > bleu_best) {
    verdict.finding = Grade::kNeutral;
    verdict.would_change = fmt::format(
        "The loss rose by {}: more label smoothing (model.label_smoothing) or dropout makes it less sure of itself.",
        percent(rise));
    verdict.sentence = fmt::format(
        "It became over-confident, not worse: the dev loss rose by {} since step {} ({}), but BLEU rose, too, "
        "from {:.1f} to {:.1f}.{}",
        percent(rise), counted(static_cast<double>(best.step)), p_value(p), bleu_best, bleu_last, gap);
    return verdict;
  }
  verdict.finding = Grade::kBad;
  verdict.would_change = fmt::format(
      "Stop at step {} (evaluate.stop_on), or use more data, more dropout, or a smaller model, against the rise of {}.",
      counted(static_cast<double>(best.step)), percent(rise));
  verdict.sentence = fmt::format(
      "Yes: the dev loss was lowest at step {} and has risen by {} since ({}). Use the best checkpoint, not "
      "the last.{}",
      counted(static_cast<double>(best.step)), percent(rise), p_value(p), gap);
  return verdict;
}

}  // namespace verbund
