// SPDX-License-Identifier: Apache-2.0
// The better setting of a comparison: tested over seeds where there are several, else over the sentences of the dev
// set.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page/number_format.h"
#include "report/comparison.h"
#include "report/run_parts.h"
#include "score/significance.h"
#include "statistics/two_samples.h"

namespace verbund {
namespace {

// The kept evaluation of a run's best checkpoint.
struct BestEvaluation {
  int64_t step = 0;
  EvaluatedSentences sentences;
};

BestEvaluation best_evaluation(const RunData& run) {
  const BestValue best = best_of(run, "dev_bleu", true);
  for (const auto& [step, file] : run.evaluation_files) {
    if (is_known(best.value) && step == best.step) return {step, read_evaluated_sentences(file)};
  }
  return {};
}

bool same_sentences(const RunData& a, const RunData& b) {
  const auto equal = [](const DevSentence& x, const DevSentence& y) {
    return x.source == y.source && x.reference == y.reference;
  };
  return std::ranges::equal(read_dev_sentences(a.folder), read_dev_sentences(b.folder), equal);
}

// BLEU and chrF of each run's checkpoint with the best BLEU; runs without BLEU are left out.
struct SeedScores {
  std::vector<double> bleu, chrf;
};

SeedScores seed_scores(const RunGroup& group) {
  SeedScores scores;
  for (const NamedRun& each : group.seeds) {
    const BestValue best = best_of(*each.run, "dev_bleu", true);
    if (!is_known(best.value)) continue;
    const MetricTable& table = each.run->evaluations;
    const auto row = std::ranges::lower_bound(table.step, best.step) - table.step.begin();
    scores.bleu.push_back(best.value);
    scores.chrf.push_back(table.column("dev_chrf")[static_cast<size_t>(row)]);
  }
  return scores;
}

ComparedScore over_seeds(const std::vector<double>& first, const std::vector<double>& second) {
  return {mean(first), mean(second), welch_test(first, second)};
}

// "11.47 ± 3.06"
std::string mean_text(const std::vector<double>& values) {
  return values.size() < 2 ? fmt::format("{:.2f}", mean(values))
                           : fmt::format("{:.2f} ± {:.2f}", mean(values), deviation(values));
}

void add_scores(Verdict& verdict, const std::string& first, const std::string& second, const ComparedScore& bleu,
                const ComparedScore& chrf) {
  const Ranking ranking = rank_sides(bleu, chrf);
  verdict.finding = ranking.finding;
  verdict.sentence = ranking.answer;
  verdict.add("BLEU of " + first, bleu.first, "");
  verdict.add("BLEU of " + second, bleu.second, "");
  verdict.add("difference in BLEU", bleu.first - bleu.second, "");
  verdict.add("p of BLEU", bleu.p, "");
  if (!is_known(chrf.p)) return;
  verdict.add("difference in chrF", chrf.first - chrf.second, "");
  verdict.add("p of chrF", chrf.p, "");
}

Verdict better_over_seeds(Verdict verdict, const RunGroup& best, const RunGroup& other) {
  const SeedScores first = seed_scores(best), second = seed_scores(other);
  verdict.would_change = "More seeds of both settings show smaller differences.";
  verdict.rule =
      "Welch's t-test of the best BLEU of each seed, and of the chrF there; ± is the standard deviation over seeds. A "
      "setting with one seed is taken to vary as the other one does. Really better means p below 0.05 by both.";
  if (first.bleu.empty() || second.bleu.empty()) {
    return cannot_tell(verdict, fmt::format("{} has no BLEU.", (first.bleu.empty() ? best : other).names()));
  }
  const ComparedScore bleu = over_seeds(first.bleu, second.bleu), chrf = over_seeds(first.chrf, second.chrf);
  const bool usable = std::max(bleu.first, bleu.second) >= kTranslates;
  if (usable && !is_known(bleu.p)) {
    return cannot_tell(verdict, first.bleu.size() + second.bleu.size() < 3
                                    ? "only one seed of each setting has BLEU."
                                    : "the seeds of each setting have the same BLEU.");
  }
  add_scores(verdict, best.names(), other.names(), bleu, chrf);
  verdict.sentence +=
      fmt::format(": BLEU {} ({}) against {} ({})", mean_text(first.bleu),
                  counted(static_cast<double>(first.bleu.size()), "seed", "seeds"), mean_text(second.bleu),
                  counted(static_cast<double>(second.bleu.size()), "seed", "seeds"));
  if (is_known(bleu.p)) verdict.sentence += ", " + p_value(bleu.p);
  if (is_known(chrf.p)) {
    verdict.sentence +=
        fmt::format("; chrF {} against {}, {}", mean_text(first.chrf), mean_text(second.chrf), p_value(chrf.p));
  }
  verdict.sentence += ".";
  return verdict;
}

Verdict better_over_sentences(Verdict verdict, const NamedRun& best, const NamedRun& other) {
  verdict.would_change = "Evaluations that keep their translations, of the same dev set.";
  const BestEvaluation first = best_evaluation(*best.run), second = best_evaluation(*other.run);
  for (const auto& [evaluation, run] : {std::pair(&first, &best), std::pair(&second, &other)}) {
    if (evaluation->sentences.bleu.empty()) {
      return cannot_tell(verdict, fmt::format("{} has kept no translations of its best evaluation.", run->name));
    }
  }
  if (first.sentences.bleu.size() != second.sentences.bleu.size() || !same_sentences(*best.run, *other.run)) {
    return cannot_tell(verdict, "they were evaluated on different dev sentences.");
  }
  const PairedResult bleu = paired_randomization(std::span(first.sentences.bleu), std::span(second.sentences.bleu));
  const PairedResult chrf = paired_randomization(std::span(first.sentences.chrf), std::span(second.sentences.chrf));
  add_scores(verdict, best.name, other.name, {bleu.first, bleu.second, bleu.p}, {chrf.first, chrf.second, chrf.p});
  verdict.add("sentences", static_cast<double>(first.sentences.bleu.size()), "");
  verdict.sentence +=
      fmt::format(": BLEU {:.2f} (step {}) against {:.2f} (step {}), {}; chrF {:.2f} against {:.2f}, {}.", bleu.first,
                  counted(static_cast<double>(first.step)), bleu.second, counted(static_cast<double>(second.step)),
                  p_value(bleu.p), chrf.first, chrf.second, p_value(chrf.p));
  verdict.rule = fmt::format(
      "Paired approximate randomisation over the dev sentences of both best checkpoints, {} trials: p is how often a "
      "difference as large occurs if the translations are exchanged at random. Really better means p below 0.05 by "
      "BLEU and by chrF.",
      with_commas(kRandomizationTrials, 0));
  verdict.would_change =
      "Another seed of the same settings is not covered: to show that the settings are better, train each with several "
      "seeds.";
  return verdict;
}

Verdict is_better(const RunGroup& best, const RunGroup& other, size_t number) {
  const std::string id = fmt::format("better_{}", number);
  if (best.seeds.size() + other.seeds.size() > 2) {
    const std::string question =
        fmt::format("Is the setting of {} really better than that of {}?", best.names(), other.names());
    return better_over_seeds(ask(id, question), best, other);
  }
  const NamedRun &first = best.seeds[0], &second = other.seeds[0];
  return better_over_sentences(ask(id, fmt::format("Is {} really better than {}?", first.name, second.name)), first,
                               second);
}

}  // namespace

Ranking rank_sides(const ComparedScore& bleu, const ComparedScore& chrf) {
  if (std::max(bleu.first, bleu.second) < kTranslates) {
    return {Grade::kBad, fmt::format("Neither translates yet, because BLEU is below {}", kTranslates)};
  }
  const bool has_chrf = is_known(chrf.p);
  if (bleu.sure() && has_chrf && chrf.sure() && bleu.first_is_higher() != chrf.first_is_higher()) {
    return {Grade::kNeutral, "The metrics disagree"};
  }
  if (bleu.sure() && has_chrf && !chrf.sure())
    return {Grade::kNeutral, "Not for sure, because only BLEU tells them apart"};
  if (!bleu.sure() && chrf.sure()) return {Grade::kNeutral, "Not for sure, because only chrF tells them apart"};
  if (!bleu.sure()) return {Grade::kNeutral, "Not for sure"};
  return bleu.first_is_higher() ? Ranking{Grade::kGood, "Yes, on this dev set"} : Ranking{Grade::kNeutral, "No"};
}

std::vector<Verdict> better_verdicts(const std::vector<RunGroup>& groups) {
  size_t best = 0;
  double best_value = kNotKnown;
  for (size_t i = 0; i < groups.size(); ++i) {
    const double value = mean(seed_scores(groups[i]).bleu);
    if (is_known(value) && !(value <= best_value)) best = i, best_value = value;
  }
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i != best) verdicts.push_back(is_better(groups[best], groups[i], verdicts.size() + 1));
  }
  return verdicts;
}

}  // namespace verbund
