// SPDX-License-Identifier: Apache-2.0
// The step up to which two runs of a comparison are the same.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "page/number_format.h"
#include "report/comparison.h"

namespace verbund {
namespace {

struct FirstDifference {
  int64_t step = 0;  // first logged step at which they differ; 0: none
  std::string key;
  double a = 0, b = 0;
  size_t compared = 0;  // values
};

// Values that depend on the computation, not on its speed.
constexpr const char* kTraining[] = {"train_loss", "train_cross_entropy", "gradient_norm", "learning_rate"};
constexpr const char* kEvaluation[] = {"dev_cross_entropy", "dev_loss", "dev_bleu", "dev_chrf"};

bool was_not_finite(const MetricTable& table, const char* key, size_t row) {
  const auto rows = table.not_finite.find(key);
  return rows != table.not_finite.end() && std::ranges::find(rows->second, row) != rows->second.end();
}

// The first difference of two tables at common steps, if it is before the one already found.
void compare(const MetricTable& a, const MetricTable& b, std::span<const char* const> keys, FirstDifference& found) {
  for (const char* key : keys) {
    const std::vector<double> x = a.column(key), y = b.column(key);
    for (size_t i = 0, j = 0; i < a.rows() && j < b.rows();) {
      if (a.step[i] != b.step[j]) {
        a.step[i] < b.step[j] ? ++i : ++j;
        continue;
      }
      const bool both = is_known(x[i]) && is_known(y[j]);
      const bool one =
          !both && ((is_known(y[j]) && was_not_finite(a, key, i)) || (is_known(x[i]) && was_not_finite(b, key, j)));
      if (both || one) {
        ++found.compared;
        if ((one || x[i] != y[j]) && (found.key.empty() || a.step[i] < found.step)) {
          found.step = a.step[i], found.key = key, found.a = x[i], found.b = y[j];
        }
      }
      ++i, ++j;
    }
  }
}

// The last step that both have logged before the first difference; nothing if there is none.
std::optional<int64_t> same_until(const RunData& a, const RunData& b, const FirstDifference& found) {
  std::optional<int64_t> last;
  for (const auto& [x, y] : {std::pair(&a.training, &b.training), std::pair(&a.evaluations, &b.evaluations)}) {
    for (const int64_t step : x->step) {
      const bool common = std::binary_search(y->step.begin(), y->step.end(), step);
      if (common && (found.key.empty() || step < found.step)) last = std::max(last.value_or(step), step);
    }
  }
  return last;
}

// Both values with as many digits as show the difference, at least 5.
std::string difference_text(double a, double b) {
  if (!is_known(a) || !is_known(b)) {
    const auto text = [](double x) { return is_known(x) ? fmt::format("{:.5g}", x) : "not a finite number"; };
    return fmt::format("{} against {}", text(a), text(b));
  }
  for (int digits = 5;; ++digits) {
    const std::string one = fmt::format("{:.{}g}", a, digits), other = fmt::format("{:.{}g}", b, digits);
    if (one != other || digits == 17) return one + " against " + other;
  }
}

bool same_seed(const RunData& a, const RunData& b) {
  return !a.config || !b.config || a.config->seed == b.config->seed;
}

Verdict same_part(const NamedRun& first, const NamedRun& other, size_t number) {
  const RunData &a = *first.run, &b = *other.run;
  FirstDifference found;
  compare(a.training, b.training, kTraining, found);
  compare(a.evaluations, b.evaluations, kEvaluation, found);
  Verdict verdict = ask(fmt::format("first_difference_{}", number),
                        fmt::format("Up to which step are {} and {} identical?", first.name, other.name));
  verdict.rule =
      "Losses, gradient norms, rates and scores at the steps that both have logged, compared to the last digit. Runs "
      "of another seed differ from the start and are not compared.";
  verdict.would_change = "A smaller train.log_every finds the step more exactly.";
  if (found.compared == 0) return cannot_tell(verdict, "there is no step that both have logged.");
  const auto step_text = [](int64_t step) { return counted(static_cast<double>(step)); };
  const std::optional<int64_t> until = same_until(a, b, found);
  if (until) verdict.add("same until step", static_cast<double>(*until), "");
  if (found.key.empty()) {
    verdict.finding = Grade::kGood;
    verdict.sentence = fmt::format("To the end of what both have logged: step {}.", step_text(*until));
  } else {
    const std::string values = fmt::format("{} is {}", found.key, difference_text(found.a, found.b));
    verdict.sentence =
        until ? fmt::format("The same until step {}; at step {} {}.", step_text(*until), step_text(found.step), values)
              : fmt::format("They differ from the first values that both have logged: at step {} {}.",
                            step_text(found.step), values);
    verdict.add("first different step", static_cast<double>(found.step), "");
  }
  verdict.add("values compared", static_cast<double>(found.compared), "");
  return verdict;
}

}  // namespace

std::vector<Verdict> first_differences(const NamedRuns& runs) {
  std::vector<Verdict> verdicts;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (same_seed(*runs[0].run, *runs[i].run)) verdicts.push_back(same_part(runs[0], runs[i], i));
  }
  return verdicts;
}

}  // namespace verbund
