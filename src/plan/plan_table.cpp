// The plan for people.
#include "core/human.h"
#include "plan/plan.h"

namespace verbund {
namespace {

std::string row(const char* head, const std::string& text) { return fmt::format("{:<11} {}\n", head, text); }

std::string with_origin(const std::string& source, bool named) {
  return named ? source + "; named, not measured" : source;
}

std::string megabytes(double bytes) { return bytes < 1 ? "-" : human_bytes(static_cast<uint64_t>(bytes)); }

// Two digits at least, however short a step is.
std::string seconds(double value) {
  if (value == 0) return "-";
  return value < 0.1 ? fmt::format("{:.4f}", value) : fmt::format("{:.3f}", value);
}

std::string table(const TrainingPlan& plan) {
  constexpr const char* kRow = "{:>7} {:>5} {:>8} {:>9} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10} {:>8}\n";
  std::string text = fmt::format(fmt::runtime(kRow), "workers", "hosts", "s/step", "tokens/s", "effic.", "compute",
                                 "exchange", "waited", "update", "host sends", "memory");
  for (const Prediction& p : plan.predictions) {
    text += fmt::format(fmt::runtime(kRow), p.workers, p.hosts, seconds(p.step.seconds),
                        human_count(static_cast<uint64_t>(p.tokens_per_second())),
                        fmt::format("{:.1f} %", 100 * efficiency(p, plan.predictions.front())), seconds(p.step.compute),
                        seconds(p.step.exchange), seconds(p.step.exposed), seconds(p.step.update),
                        megabytes(p.step.sent_bytes), megabytes(p.memory_bytes));
  }
  return text;
}

std::string duration(const TrainingPlan& plan) {
  if (plan.steps == 0) return row("time", "not known: " + plan.steps_reason);
  std::string text =
      fmt::format("{} steps ({}) take {}, without evaluations and saving",
                  human_count(static_cast<uint64_t>(plan.steps)), plan.steps_reason, human_duration(plan.seconds()));
  if (plan.price > 0) {
    text += fmt::format("; at {:g} for a host and hour they cost {:.2f}", plan.price, plan.money());
  }
  return row("time", text);
}

std::string advice_rows(const TrainingPlan& plan) {
  if (plan.advice.empty()) return row("advice", "no setting would gain a hundredth of the speed");
  std::string text;
  for (const Advice& advice : plan.advice) {
    text += row(text.empty() ? "would help" : "",
                fmt::format("{:+6.1f} %  {:<34} {} s a step, {} a worker{}", 100 * advice.gain, advice.setting,
                            seconds(advice.step_seconds), megabytes(advice.memory_bytes),
                            advice.another_batch ? "; another batch learns another way" : ""));
    text += fmt::format("{:23}{}\n", "", advice.meaning);
  }
  return text;
}

}  // namespace

std::string plan_table(const TrainingPlan& plan) {
  const Scenario& scenario = plan.scenario;
  std::string text =
      row("model",
          fmt::format("{:.1f} M parameters, gradients of {} in {}", plan.parameters / 1e6,
                      megabytes(4 * plan.parameters), kWireNames[static_cast<size_t>(scenario.config.workers.wire)])) +
      row("workers",
          fmt::format("{} on {}", describe_workers(total_slots(scenario.hosts)), describe_hosts(scenario.hosts))) +
      row("batches", fmt::format("{:.0f} target and {:.0f} source tokens a step; {}", plan.all().target_tokens,
                                 plan.all().source_tokens, plan.batches)) +
      row("computing", with_origin(scenario.compute.source, scenario.compute.named)) +
      row("network", scenario.hosts.size() > 1 ? with_origin(scenario.exchange.source, scenario.exchange.named)
                                               : "not needed: all workers are on one host");
  text += "\n" + table(plan) + "\n";
  text += row("limited by", plan.limit.sentence) + duration(plan);
  if (plan.comparison) {
    const MeasuredRun& c = *plan.comparison;
    text += row("compared", fmt::format("{} as it was: predicted {} s a step, measured {} s ({:+.1f} %)", c.run,
                                        seconds(c.predicted), seconds(c.measured), 100 * c.error()));
  }
  return text + advice_rows(plan);
}

}  // namespace verbund
