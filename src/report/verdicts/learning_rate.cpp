// SPDX-License-Identifier: Apache-2.0
// Verdict 5: the origin of the learning-rate curve.
#include <algorithm>

#include "core/error.h"
#include "core/human.h"
#include "optim/schedule.h"
#include "page/number_format.h"
#include "report/json_values.h"
#include "report/judge.h"

namespace verbund {
namespace {

constexpr double kSame = 0.005;  // relative difference due to printing and importing

struct Curve {
  std::vector<double> step, logged, policy;  // policy is empty if unknown
};

Curve logged_curve(const RunData& run) {
  Curve curve;
  const std::vector<double> rates = run.training.column("learning_rate");
  for (size_t i = 0; i < rates.size(); ++i) {
    if (!is_known(rates[i])) continue;
    curve.step.push_back(static_cast<double>(run.training.step[i]));
    curve.logged.push_back(rates[i]);
  }
  return curve;
}

double difference(double logged, double policy) {
  const double scale = std::max(std::abs(logged), std::abs(policy));
  return scale > 0 ? std::abs(logged - policy) / scale : 0;
}

double median_difference(const Curve& curve, const std::vector<double>& policy) {
  std::vector<double> all;
  for (size_t i = 0; i < policy.size(); ++i) all.push_back(difference(curve.logged[i], policy[i]));
  return median(std::move(all));
}

// A logged step used the rate of the previous step, counted from 0. Other programs count differently.
std::vector<double> policy_curve(const Schedule& schedule, const Curve& curve, bool imported) {
  std::vector<double> best;
  for (const int64_t shift : {-1, 0, 1}) {
    std::vector<double> rates;
    for (const double step : curve.step)
      rates.push_back(schedule.rate(std::max<int64_t>(0, static_cast<int64_t>(step) + shift)));
    if (best.empty() || median_difference(curve, rates) < median_difference(curve, best)) best = std::move(rates);
    if (!imported) break;
  }
  return best;
}

std::optional<Schedule> policy_of(const RunData& run) {
  if (!run.config) return std::nullopt;
  try {
    return Schedule(run.config->schedule, run.config->model.d_model);
  } catch (const Error&) {
    return std::nullopt;  // an invalid configuration cannot be that of the run
  }
}

struct Shape {
  double peak = 0, peak_step = 0, half_step = kNotKnown;
};

// The shape of the policy if it is known, at least up to its peak; otherwise of the logged values.
Shape shape_of(const Curve& curve, const std::optional<Schedule>& schedule, int64_t warmup_steps) {
  Shape shape;
  std::vector<double> step = curve.step, rate = curve.logged;
  if (schedule) {
    step.clear();
    rate.clear();
    const auto last = std::max(static_cast<int64_t>(curve.step.back()), warmup_steps);
    for (int64_t s = 0; s <= last; s += std::max<int64_t>(1, last / 100000)) {
      step.push_back(static_cast<double>(s + 1));
      rate.push_back(schedule->rate(s));
    }
  }
  const auto peak = std::max_element(rate.begin(), rate.end());
  shape.peak = *peak;
  shape.peak_step = step[static_cast<size_t>(peak - rate.begin())];
  const auto half = std::find_if(peak, rate.end(), [&](double value) { return value <= shape.peak / 2; });
  if (half != rate.end()) shape.half_step = step[static_cast<size_t>(half - rate.begin())];
  return shape;
}

// The steps of roll-backs whose smaller rate still applies: a resume from the same or an earlier step restores the
// former rate.
std::vector<int64_t> steps_rolled_back_to(const RunData& run) {
  std::vector<int64_t> steps;
  for (const HistoryEvent& event : run.history) {
    if (event.event == "roll_back") steps.push_back(event.line.value("to_step", int64_t{0}));
    if (event.event != "resume") continue;
    const double from = number_at(event.line, "from_step");
    std::erase_if(steps, [&](int64_t step) { return static_cast<double>(step) >= from; });
  }
  return steps;
}

// The place where the curve deviates from the policy, and the reason if the history has one.
std::string explain_jump(const RunData& run, const Curve& curve) {
  size_t first = 0;
  while (first < curve.step.size() && difference(curve.logged[first], curve.policy[first]) <= kSame) ++first;
  if (first == curve.step.size()) return "";
  const double step = curve.step[first], factor = curve.logged[first] / curve.policy[first];
  size_t last = curve.step.size();  // the policy is that of the last start: earlier ones may have had another
  while (difference(curve.logged[last - 1], curve.policy[last - 1]) <= kSame) --last;
  const std::vector<int64_t> roll_backs = steps_rolled_back_to(run);
  if (!roll_backs.empty() && roll_backs.front() <= static_cast<int64_t>(step) && last == curve.step.size()) {
    return fmt::format(
        "From step {} on it is {} times the policy, because the run rolled back to step {} with a smaller rate",
        counted(step), short_number(factor), roll_backs.front());
  }
  const auto is_of_schedule = [](const std::string& difference) { return difference.starts_with("schedule."); };
  for (const StartFacts& start : run.starts) {
    if (std::ranges::any_of(start.differences, is_of_schedule) &&
        static_cast<double>(start.step) >= curve.step[last - 1]) {
      return fmt::format("Up to step {} it follows the settings that the run had before it was resumed with others",
                         counted(static_cast<double>(start.step)));
    }
  }
  for (const StartFacts& start : run.starts) {
    if (!start.differences.empty() && start.step <= static_cast<int64_t>(step) &&
        (first == 0 || static_cast<double>(start.step) >= curve.step[first - 1])) {
      return fmt::format(
          "It deviates from the policy at step {}, where the run was resumed with a changed configuration",
          counted(step));
    }
  }
  const bool changed = std::ranges::any_of(
      run.starts, [&](const StartFacts& start) { return std::ranges::any_of(start.differences, is_of_schedule); });
  if (changed && !roll_backs.empty()) {
    return fmt::format(
        "It deviates from the policy at step {}: the run was resumed with other settings, and rolled back with a "
        "smaller rate",
        counted(step));
  }
  return fmt::format(
      "It deviates from the policy at step {} ({} times the configured value), for a reason that is not on record",
      counted(step), short_number(factor));
}

Chart rate_chart(const Curve& curve, const Shape& shape) {
  Chart chart{
      "learning_rate", "Learning rate", "step", "learning rate",
      "The logged points should lie on the policy's line. A rise at the beginning is the warm-up, which keeps the "
      "first steps small."};
  if (!curve.policy.empty())
    chart.series.push_back({"policy of the configuration", curve.step, curve.policy, {}, {}, Drawn::kLine});
  chart.series.push_back({"logged", curve.step, curve.logged, {}, {}, Drawn::kPoints});
  chart.marks.push_back({shape.peak_step, "peak"});
  return chart;
}

}  // namespace

Verdict learning_rate(const RunData& run) {
  Verdict verdict = ask("learning_rate", "What does the learning-rate curve come from?");
  verdict.rule =
      fmt::format("The configured policy is computed at every logged step; differences up to {} count as rounding.",
                  percent(kSame));
  verdict.would_change = "Change the section `schedule` of the configuration.";
  Curve curve = logged_curve(run);
  const std::optional<Schedule> schedule = policy_of(run);
  if (curve.step.empty()) {
    return cannot_tell(verdict,
                       "no learning rate was logged." +
                           (schedule ? fmt::format(" Its configured schedule: {}.", schedule->describe()) : ""));
  }
  if (schedule) curve.policy = policy_curve(*schedule, curve, run.imported);
  const Shape shape = shape_of(curve, schedule, schedule ? run.config->schedule.warmup_steps : 0);
  const double now = curve.logged.back(), last = curve.step.back();
  verdict.would_change = fmt::format(
      "The peak of {:.3g} at step {} comes from the section `schedule` of the configuration: change it there.",
      shape.peak, counted(shape.peak_step));
  verdict.figures = {figure("peak", shape.peak, ""), step_figure("step of the peak", shape.peak_step),
                     step_figure("step after which it is half the peak", shape.half_step),
                     figure("at the last logged step", now, "")};
  verdict.charts.push_back(rate_chart(curve, shape));
  const std::string now_text =
      fmt::format("At step {} it is {:.3g}, {} of the peak.", counted(last), now, percent(now / shape.peak));
  if (!schedule) {
    verdict.sentence =
        fmt::format("It was highest, {:.3g}, at step {}. {} The policy is not known: there is no configuration.",
                    shape.peak, counted(shape.peak_step), now_text);
    verdict.finding = Grade::kNeutral;
    return verdict;
  }
  double largest = 0;
  for (size_t i = 0; i < curve.step.size(); ++i)
    largest = std::max(largest, difference(curve.logged[i], curve.policy[i]));
  verdict.add("largest difference to the policy", 100 * largest, "%");
  const std::string jump = explain_jump(run, curve);
  verdict.sentence = fmt::format("Schedule: {}. {}", schedule->describe(), now_text);
  verdict.sentence += jump.empty() ? " All logged values follow the policy." : " " + jump + ".";
  verdict.finding = jump.empty() ? Grade::kGood : Grade::kNeutral;
  return verdict;
}

}  // namespace verbund
