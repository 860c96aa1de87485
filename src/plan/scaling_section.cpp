// SPDX-License-Identifier: Apache-2.0

#include "core/error.h"
#include "core/human.h"
#include "plan/plan.h"
#include "plan/run_rates.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

constexpr size_t kMaxAdvice = 4;

// Twice the workers: on more hosts like these, or on the only host, whose network is unknown.
std::vector<Host> twice(std::vector<Host> hosts, bool has_network) {
  if (!has_network) {
    hosts.front().slots *= 2;
    return hosts;
  }
  const size_t own = hosts.size();
  for (size_t i = 0; i < own; ++i) hosts.push_back({fmt::format("another {}", hosts[i].name), hosts[i].slots});
  return hosts;
}

Chart scaling_chart(const std::vector<Prediction>& predictions, int workers, double measured) {
  Series predicted{"predicted", {}, {}, {}, {}, Drawn::kLine}, ideal = predicted, seen = predicted;
  ideal.name = "ideal";
  for (const Prediction& prediction : predictions) {
    predicted.x.push_back(prediction.workers);
    predicted.y.push_back(prediction.tokens_per_second());
    ideal.x.push_back(prediction.workers);
    ideal.y.push_back(prediction.workers * predictions.front().tokens_per_second());
  }
  seen.name = "measured";
  seen.drawn = Drawn::kPoints;
  seen.x = {static_cast<double>(workers)};
  seen.y = {measured};
  Chart chart{"scaling", "Throughput by number of workers", "workers", "target tokens per second",
              "Where the line bends away from the ideal one, additional workers mostly wait."};
  chart.series = {predicted, ideal, seen};
  chart.marks.push_back({static_cast<double>(workers), "actual"});
  return chart;
}

Table scaling_table(const std::vector<Prediction>& predictions) {
  Table table;
  table.id = "scaling";
  table.columns = {{"workers", true},    {"hosts", true},  {"s a step", true},          {"tokens/s", true},
                   {"efficiency", true}, {"waited", true}, {"memory of a worker", true}};
  for (const Prediction& p : predictions) {
    const double share = efficiency(p, predictions.front()), waited = p.step.exposed / p.step.seconds;
    table.rows.push_back({{fmt::format("{}", p.workers), static_cast<double>(p.workers)},
                          {fmt::format("{}", p.hosts), static_cast<double>(p.hosts)},
                          {fmt::format("{:.3f}", p.step.seconds), p.step.seconds},
                          {human_count(static_cast<uint64_t>(p.tokens_per_second())), p.tokens_per_second()},
                          {fmt::format("{:.0f} %", 100 * share), 100 * share},
                          {fmt::format("{:.0f} %", 100 * waited), 100 * waited},
                          {human_bytes(static_cast<uint64_t>(p.memory_bytes)), p.memory_bytes}});
  }
  return table;
}

Table advice_table(const std::vector<Advice>& advice) {
  Table table;
  table.id = "advice";
  table.columns = {{"setting"}, {"tokens/s", true}, {"what it does"}};
  for (size_t i = 0; i < advice.size() && i < kMaxAdvice; ++i) {
    table.rows.push_back(
        {advice[i].setting,
         {fmt::format("{:+.0f} %", 100 * advice[i].gain), 100 * advice[i].gain},
         advice[i].meaning + (advice[i].another_batch ? "; a larger batch changes what is learned" : "")});
  }
  return table;
}

std::vector<Block> simulate(const RunData& run, BatchSource& batches, const RunRates& rates) {
  std::vector<Block> blocks;
  const int workers = total_slots(rates.hosts);
  const Scenario as_it_was = {*run.config, rates.hosts, rates.compute, rates.exchange, ""};
  const Prediction played = predict(as_it_was, batches, workers);
  const bool has_network = rates.hosts.size() > 1;
  Scenario larger = as_it_was;
  larger.hosts = twice(rates.hosts, has_network);
  const std::vector<Prediction> predictions = predict_all(larger, batches);

  blocks.push_back(Paragraph{fmt::format(
      "Simulated from this run's own record ({}; {}), with the same total batch{}. For the actual layout: "
      "{:.3f} s per step predicted, {:.3f} s measured ({:+.1f} %). Evaluations and saving are not included.",
      rates.compute.source, has_network ? rates.exchange.source : "no network",
      has_network ? " and more hosts like these" : ", as if this host had enough cores", played.step.seconds,
      rates.step_seconds, 100 * (played.step.seconds / rates.step_seconds - 1))});
  if (const std::string advice = advice_on_others(host_loads(run)); !advice.empty())
    blocks.push_back(Paragraph{advice});
  blocks.push_back(scaling_chart(predictions, workers, played.target_tokens / rates.step_seconds));
  blocks.push_back(scaling_table(predictions));
  if (const std::vector<Advice> advice = advise(as_it_was, batches, played); !advice.empty()) {
    blocks.push_back(Heading{"Settings that would help, by the same simulation"});
    blocks.push_back(advice_table(advice));
  }
  return blocks;
}

}  // namespace

Section scaling_section(const RunData& run) {
  Section section = {"scaling", "What would more workers bring?", {}};
  if (!run.config || run.config->batch.tokens == kAutomatic || run.ranks.empty()) return section;
  try {
    const std::unique_ptr<BatchSource> batches = batches_of_run(run);
    const std::optional<RunRates> rates = batches ? find_rates(run, *batches) : std::nullopt;
    if (!rates || (rates->hosts.size() > 1 && rates->exchange.link <= 0)) return section;
    section.blocks = simulate(run, *batches, *rates);
  } catch (const Error& error) {  // a dataset that has changed: the rest of the page is unaffected
    section.blocks.push_back(
        Paragraph{fmt::format("Cannot tell, because the dataset cannot be read: {}", error.what())});
  }
  return section;
}

}  // namespace verbund
