#include "report/verdicts/dev_curve.h"

#include <algorithm>

namespace verbund {

size_t DevCurve::lowest() const {
  return static_cast<size_t>(std::min_element(loss.begin(), loss.end()) - loss.begin());
}

DevCurve dev_curve(const RunData& run) {
  DevCurve curve;
  curve.key = run.evaluations.has("dev_cross_entropy") ? "dev_cross_entropy" : "dev_loss";
  const std::vector<double> loss = run.evaluations.column(curve.key), bleu = run.evaluations.column("dev_bleu");
  for (size_t i = 0; i < loss.size(); ++i) {
    if (!is_known(loss[i]) || run.evaluations.step[i] <= 0) continue;
    curve.step.push_back(static_cast<double>(run.evaluations.step[i]));
    curve.loss.push_back(loss[i]);
    curve.bleu.push_back(bleu[i]);
  }
  return curve;
}

double warmup_end(const RunData& run) {
  if (run.config) {
    const SchedulePolicy policy = run.config->schedule.policy;
    const bool warms = policy == SchedulePolicy::kTransformer || policy == SchedulePolicy::kPolyDecay ||
                       policy == SchedulePolicy::kCosineDecay;
    return warms ? static_cast<double>(run.config->schedule.warmup_steps) : 0;
  }
  const std::vector<double> rates = run.training.column("learning_rate");
  double highest = 0, step = 0;
  for (size_t i = 0; i < rates.size(); ++i) {
    if (!is_known(rates[i]) || rates[i] <= highest) continue;
    highest = rates[i];
    step = static_cast<double>(run.training.step[i]);
  }
  return step;
}

double epochs_seen(const RunData& run) { return run.training.last("epoch"); }

}  // namespace verbund
