// SPDX-License-Identifier: Apache-2.0
// The verdict of a fine-tuned run: what it gained on its own dev set, and what it forgot on the dev sets of before.
#include <algorithm>
#include <numeric>

#include "evaluate/extra_dev_sets.h"
#include "page/number_format.h"
#include "record/dev_set_keys.h"
#include "record/evaluation_file.h"
#include "report/judge.h"
#include "report/run_page.h"
#include "score/significance.h"
#include "statistics/resampling.h"

namespace verbund {
namespace {

constexpr double kSureInterval = 0.95;
constexpr const char* kPairedInterval = "95 % interval, paired bootstrap over sentences";
// A loss of less than this is hardly noticed, unless there was not much to lose.
constexpr double kKeptBleu = 1, kKeptShare = 0.1;

// The scores of one dev set before the first step and at the best one.
struct ScoreChange {
  std::string set;  // "" is the run's own dev set
  double bleu_before = 0, bleu_after = 0, loss_before = 0, loss_after = 0;
  Bounds bleu, loss;  // of the differences
  size_t sentences = 0;

  double gained() const { return bleu_after - bleu_before; }
  bool rose() const { return bleu.low > 0; }
  bool fell() const { return bleu.high < 0; }
  // For a dev set of the original model.
  double margin() const { return std::min(kKeptBleu, kKeptShare * bleu_before); }
  bool kept() const { return bleu.low >= -margin(); }
  bool forgot() const { return fell() && !kept(); }
  bool undecided() const { return !kept() && !forgot(); }
};

// The translated sentences of an evaluation, up to the first damaged line.
std::vector<KeptSentence> translated_sentences(const fs::path& file) {
  if (!fs::exists(file)) return {};
  std::vector<KeptSentence> sentences = read_evaluation(file).sentences;
  const auto end = std::ranges::find_if(
      sentences, [](const KeptSentence& sentence) { return !sentence.bleu || !is_known(sentence.cross_entropy); });
  sentences.erase(end, sentences.end());
  return sentences;
}

double loss_of(const std::vector<KeptSentence>& sentences, const std::vector<double>& chosen) {
  double loss = 0, tokens = 0;
  for (const double i : chosen) {
    const KeptSentence& sentence = sentences[static_cast<size_t>(i)];
    loss += sentence.cross_entropy;
    tokens += static_cast<double>(sentence.tokens);
  }
  return loss / tokens;
}

// Nothing if the sentences of one of the steps were not kept, or are others than those of the other.
std::optional<ScoreChange> change_of(const RunData& run, const std::string& set, int64_t step) {
  const std::vector<KeptSentence> before = translated_sentences(evaluation_file(run.folder, 0, set));
  const std::vector<KeptSentence> after = translated_sentences(evaluation_file(run.folder, step, set));
  const auto same = [](const KeptSentence& a, const KeptSentence& b) { return a.tokens == b.tokens; };
  if (before.empty() || !std::ranges::equal(before, after, same)) return std::nullopt;

  ScoreChange change{set};
  change.sentences = before.size();
  std::vector<BleuStatistics> first, second;
  for (size_t i = 0; i < before.size(); ++i) {
    first.push_back(*before[i].bleu);
    second.push_back(*after[i].bleu);
  }
  const std::unique_ptr<Metric> metric = make_metric(BleuOptions());
  const StatisticsTable first_table = table_of(std::span<const BleuStatistics>(first));
  const StatisticsTable second_table = table_of(std::span<const BleuStatistics>(second));
  change.bleu_before = metric->score(std::span<const double>(first_table.sums()));
  change.bleu_after = metric->score(std::span<const double>(second_table.sums()));
  Pcg64 random(kTestSeed), same_random(kTestSeed);  // the same sentences in each sample
  std::vector<double> differences = bootstrap_scores(*metric, second_table, kBootstrapSamples, random);
  const std::vector<double> scores = bootstrap_scores(*metric, first_table, kBootstrapSamples, same_random);
  for (size_t i = 0; i < scores.size(); ++i) differences[i] -= scores[i];
  change.bleu = middle(differences, kSureInterval);

  std::vector<double> all(before.size());
  std::iota(all.begin(), all.end(), 0.0);
  change.loss_before = loss_of(before, all);
  change.loss_after = loss_of(after, all);
  change.loss = block_bootstrap(
      all, [&](const std::vector<double>& chosen) { return loss_of(after, chosen) - loss_of(before, chosen); },
      {.repeats = kBootstrapSamples, .block = 1, .coverage = kSureInterval});
  return change;
}

std::string numbers_text(const ScoreChange& change) {
  return fmt::format("BLEU {:.2f} before, {:.2f} after ({:+.1f} to {:+.1f})", change.bleu_before, change.bleu_after,
                     change.bleu.low, change.bleu.high);
}

std::string gained_text(const ScoreChange& change) {
  const std::string numbers = numbers_text(change);
  if (change.rose()) return fmt::format("It gained {:.2f} BLEU on the new dev set: {}", change.gained(), numbers);
  if (change.fell()) return fmt::format("It lost {:.2f} BLEU on the new dev set: {}", -change.gained(), numbers);
  return fmt::format("Whether it gained anything on the new dev set is unclear: {}", numbers);
}

std::string forgotten_text(const ScoreChange& change) {
  const std::string numbers = numbers_text(change);
  std::string text;
  if (change.forgot()) {
    text = fmt::format("It forgot {:.2f} BLEU on the dev set {}: {}", -change.gained(), change.set, numbers);
  } else if (change.rose()) {
    text = fmt::format("On the dev set {} it forgot nothing and gained {:.2f} BLEU: {}", change.set, change.gained(),
                       numbers);
  } else if (change.kept()) {
    text = fmt::format("It kept what it knew of the dev set {}, or lost less than {:.2g} BLEU: {}", change.set,
                       change.margin(), numbers);
  } else {
    text = fmt::format("Whether it forgot anything of the dev set {} is unclear: {}", change.set, numbers);
  }
  if (!change.forgot() && change.loss.low > 0) {
    text += fmt::format("; but its loss rose from {:.3f} to {:.3f}", change.loss_before, change.loss_after);
  }
  return text;
}

void add_figures(Verdict& verdict, const ScoreChange& change) {
  const std::string on = change.set.empty() ? "" : ", " + change.set;
  verdict.add("BLEU before" + on, change.bleu_before, "");
  verdict.add("BLEU after" + on, change.bleu_after, "");
  verdict.add("difference in BLEU" + on, change.gained(), "", change.bleu, kPairedInterval);
  verdict.add("difference in loss" + on, change.loss_after - change.loss_before, "nats per token", change.loss,
              kPairedInterval);
  verdict.add("dev sentences translated" + on, static_cast<double>(change.sentences), "");
}

std::string advice(const ScoreChange& gained, const std::vector<ScoreChange>& old) {
  const bool forgot = std::ranges::any_of(old, &ScoreChange::forgot);
  const bool unsure = !(gained.rose() || gained.fell()) || std::ranges::any_of(old, &ScoreChange::undecided);
  if (forgot) {
    return "Train on pairs of before as well (--replay 0.2), for fewer steps, or with a smaller "
           "schedule.learning_rate.";
  }
  if (unsure) return "More dev sentences make the intervals narrower (evaluate.sentences=0 translates all).";
  if (!gained.rose()) return "More steps, a higher schedule.learning_rate, or more pairs of the new text.";
  return "The checkpoint was chosen on the new dev set, which flatters a little: `verbund evaluate` on test sets tells "
         "what you will get.";
}

}  // namespace

Verdict fine_tuning(const RunData& run) {
  Verdict verdict = ask("fine_tuning", "What was gained by fine-tuning, and what forgotten?");
  verdict.rule = fmt::format(
      "BLEU before the first step and at the step with the best BLEU, on the same sentences of each dev set: a paired "
      "bootstrap ({} samples) gives the 95 % interval of the difference. Gained: the whole interval is above 0. Kept, "
      "of a dev set of before: it is above {}, and above -{} of the BLEU before. Forgotten: it reaches below that, and "
      "is wholly below 0. Everything else is unclear.",
      with_commas(kBootstrapSamples, 0), -kKeptBleu, percent(kKeptShare));
  verdict.would_change = "Let the first evaluation be made (evaluate.at_start), and keep the files of evaluations.";
  const BestValue best = best_of(run, "dev_bleu", true);
  if (!is_known(best.value)) return cannot_tell(verdict, "no dev sentence was translated after the first step.");
  const std::optional<ScoreChange> gained = change_of(run, "", best.step);
  if (!gained) {
    return cannot_tell(verdict,
                       fmt::format("the translations of step 0 and of step {} were not kept, or are not of the "
                                   "same sentences.",
                                   counted(static_cast<double>(best.step))));
  }
  std::vector<ScoreChange> old;
  std::vector<std::string> unknown;
  for (const ExtraDevSetConfig& set : run.config->evaluate.also) {
    const std::string name = dev_set_name(set);
    if (const std::optional<ScoreChange> change = change_of(run, name, best.step)) {
      old.push_back(*change);
    } else {
      unknown.push_back(name);
    }
  }
  add_figures(verdict, *gained);
  for (const ScoreChange& change : old) add_figures(verdict, change);
  verdict.figures.push_back(step_figure("step of the second evaluation", static_cast<double>(best.step)));
  verdict.charts = dev_set_charts(run);
  for (Chart& chart : verdict.charts) chart.id = "fine_tuning_" + chart.id;
  verdict.would_change = advice(*gained, old);

  std::vector<std::string> sentences = {gained_text(*gained)};
  for (const ScoreChange& change : old) sentences.push_back(forgotten_text(change));
  for (const std::string& name : unknown) {
    sentences.push_back(fmt::format("Whether it forgot anything of the dev set {} is not on record", name));
  }
  if (run.config->evaluate.also.empty()) {
    sentences.emplace_back("What it forgot is not on record, because no dev set of before was evaluated");
  }
  const std::string answer = fmt::format("{}.", fmt::join(sentences, ". "));
  const bool gain_is_known = gained->rose() || gained->fell();
  if (!gain_is_known && std::ranges::all_of(old, &ScoreChange::undecided)) {
    return cannot_tell(verdict, "the intervals are too wide. " + answer);
  }
  verdict.sentence = answer;
  const bool forgot = std::ranges::any_of(old, &ScoreChange::forgot);
  const bool all_kept = std::ranges::all_of(old, &ScoreChange::kept);
  verdict.finding = Grade::kNeutral;
  if (gained->rose() && all_kept) verdict.finding = Grade::kGood;
  if (gained->fell() || (forgot && !gained->rose())) verdict.finding = Grade::kBad;
  return verdict;
}

}  // namespace verbund
