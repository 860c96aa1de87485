// SPDX-License-Identifier: Apache-2.0
// Verdicts of a comparison: the better run, and the step up to which two runs are the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/comparison.h"
#include "report/number_format.h"
#include "report/run_parts.h"
#include "score/significance.h"

namespace verbund {
namespace {

constexpr double kSure = 0.05;

constexpr const char* kCaution =
    "Another seed of the same settings is not covered: to show that the settings are better, train each with several "
    "seeds.";

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

Verdict is_better(const NamedRun& best, const NamedRun& other, size_t number) {
  Verdict verdict =
      ask(fmt::format("better_{}", number), fmt::format("Is {} really better than {}?", best.name, other.name));
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
  const bool sure = bleu.p < kSure && bleu.first > bleu.second;
  verdict.finding = sure ? Grade::kGood : Grade::kNeutral;
  verdict.sentence = fmt::format(
      "{}: BLEU {:.2f} (step {}) against {:.2f} (step {}), p = {:.4f}; chrF {:.2f} against {:.2f}, p = {:.4f}.",
      sure ? "Yes, on this dev set" : "Not for sure", bleu.first, human_number(static_cast<double>(first.step)),
      bleu.second, human_number(static_cast<double>(second.step)), bleu.p, chrf.first, chrf.second, chrf.p);
  verdict.figures = {{"BLEU of " + best.name, bleu.first, ""},
                     {"BLEU of " + other.name, bleu.second, ""},
                     {"difference in BLEU", bleu.first - bleu.second, ""},
                     {"p of BLEU", bleu.p, ""},
                     {"difference in chrF", chrf.first - chrf.second, ""},
                     {"p of chrF", chrf.p, ""},
                     {"sentences", static_cast<double>(first.sentences.bleu.size()), ""}};
  verdict.rule = fmt::format(
      "Paired approximate randomisation over the dev sentences of both best checkpoints, 10,000 trials: p is how often "
      "a "
      "difference as large occurs if the translations are exchanged at random. Really better means p below {}.",
      kSure);
  verdict.would_change = kCaution;
  return verdict;
}

struct FirstDifference {
  int64_t step = 0;  // first logged step at which they differ; 0: none
  int64_t same_until = 0;
  std::string key;
  double a = 0, b = 0;
  size_t compared = 0;  // values
};

// Values that depend on the computation, not on its speed.
constexpr const char* kTraining[] = {"train_loss", "train_cross_entropy", "gradient_norm", "learning_rate"};
constexpr const char* kEvaluation[] = {"dev_cross_entropy", "dev_loss", "dev_bleu", "dev_chrf"};

// The first difference of two tables at common steps, if it is before the one already found.
void compare(const MetricTable& a, const MetricTable& b, std::span<const char* const> keys, FirstDifference& found) {
  for (const char* key : keys) {
    const std::vector<double> x = a.column(key), y = b.column(key);
    for (size_t i = 0, j = 0; i < a.rows() && j < b.rows();) {
      if (a.step[i] != b.step[j]) {
        a.step[i] < b.step[j] ? ++i : ++j;
        continue;
      }
      if (is_known(x[i]) && is_known(y[j])) {
        ++found.compared;
        if (x[i] != y[j] && (found.key.empty() || a.step[i] < found.step)) {
          found.step = a.step[i], found.key = key, found.a = x[i], found.b = y[j];
        }
      }
      ++i, ++j;
    }
  }
}

// The last step that both have logged before the first difference; -1 if there is none.
int64_t same_until(const RunData& a, const RunData& b, const FirstDifference& found) {
  int64_t last = -1;
  for (const auto& [x, y] : {std::pair(&a.training, &b.training), std::pair(&a.evaluations, &b.evaluations)}) {
    for (const int64_t step : x->step) {
      const bool common = std::binary_search(y->step.begin(), y->step.end(), step);
      if (common && (found.key.empty() || step < found.step)) last = std::max(last, step);
    }
  }
  return last;
}

}  // namespace

std::vector<Verdict> better_verdicts(const NamedRuns& runs) {
  size_t best = 0;
  double best_value = kNotKnown;
  for (size_t i = 0; i < runs.size(); ++i) {
    const double value = best_of(*runs[i].run, "dev_bleu", true).value;
    if (is_known(value) && !(value <= best_value)) best = i, best_value = value;
  }
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i != best) verdicts.push_back(is_better(runs[best], runs[i], verdicts.size() + 1));
  }
  return verdicts;
}

std::vector<Verdict> first_differences(const NamedRuns& runs) {
  std::vector<Verdict> verdicts;
  for (size_t i = 1; i < runs.size(); ++i) {
    const RunData &a = *runs[0].run, &b = *runs[i].run;
    FirstDifference found;
    compare(a.training, b.training, kTraining, found);
    compare(a.evaluations, b.evaluations, kEvaluation, found);
    Verdict verdict = ask(fmt::format("first_difference_{}", i),
                          fmt::format("Until where are {} and {} the same?", runs[0].name, runs[i].name));
    verdict.rule =
        "Losses, gradient norms, rates and scores at the steps that both have logged, compared to the last digit.";
    verdict.would_change = "A smaller train.log_every finds the step more exactly.";
    const auto step_text = [](int64_t step) { return human_number(static_cast<double>(step)); };
    if (found.compared == 0) {
      cannot_tell(verdict, "there is no step that both have logged.");
    } else if (found.key.empty()) {
      const int64_t until = same_until(a, b, found);
      verdict.finding = Grade::kGood;
      verdict.sentence = fmt::format("To the end of what both have logged: step {}.", step_text(until));
      verdict.figures = {{"same until step", static_cast<double>(until), ""}};
    } else {
      const int64_t until = same_until(a, b, found);
      const std::string values = fmt::format("{} is {} against {}", found.key, found.a, found.b);
      verdict.finding = Grade::kNeutral;
      verdict.sentence =
          until >= 0
              ? fmt::format("The same until step {}; at step {} {}.", step_text(until), step_text(found.step), values)
              : fmt::format("They differ from the first values that both have logged: at step {} {}.",
                            step_text(found.step), values);
      verdict.figures = {{"same until step", static_cast<double>(until), ""},
                         {"first different step", static_cast<double>(found.step), ""}};
    }
    verdict.figures.push_back({"values compared", static_cast<double>(found.compared), ""});
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace verbund
