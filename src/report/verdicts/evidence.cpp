// SPDX-License-Identifier: Apache-2.0
#include "report/verdicts/evidence.h"

#include <algorithm>

#include "report/step_walk.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

// GPUs exchange in fp32, on another way than through the hosts.
bool may_use_nccl(const RunData& run) {
  const Config& config = *run.config;
  if (config.workers.transport != Exchange::kAuto) return config.workers.transport == Exchange::kNccl;
  if (config.device == DeviceChoice::kCpu || config.workers.wire != Wire::kFp32 || config.workers.has_rounds()) {
    return false;
  }
  return config.device != DeviceChoice::kAuto ||
         std::ranges::any_of(host_loads(run), [](const HostLoad& load) { return !load.gpu.empty(); });
}

}  // namespace

size_t DevCurve::lowest() const {
  return static_cast<size_t>(std::min_element(loss.begin(), loss.end()) - loss.begin());
}

DevCurve dev_curve(const RunData& run, int64_t after) {
  DevCurve curve;
  curve.key = loss_key(run.evaluations, "dev");
  const std::vector<double> loss = run.evaluations.column(curve.key), bleu = run.evaluations.column("dev_bleu");
  for (size_t i = 0; i < loss.size(); ++i) {
    if (!is_known(loss[i]) || run.evaluations.step[i] <= after) continue;
    curve.step.push_back(static_cast<double>(run.evaluations.step[i]));
    curve.loss.push_back(loss[i]);
    curve.bleu.push_back(bleu[i]);
  }
  return curve;
}

std::string loss_key(const MetricTable& table, const std::string& of) {
  return of + (table.has(of + "_cross_entropy") ? "_cross_entropy" : "_loss");
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

int64_t exchange_interval(const RunData& run) { return run.config ? run.config->workers.sync_every : 1; }

double typical(const RunData& run, const std::vector<double>& values) {
  return exchange_interval(run) > 1 ? mean(values) : median(values);
}

StepSample sample_steps(const RunData& run, size_t max_steps) {
  StepSample sample;
  if (run.ranks.empty() || run.ranks.front().rank != 0) return sample;
  sample.before_exchange.resize(run.ranks.size());
  sample.of_all_workers = run.ranks.size() == static_cast<size_t>(run.workers());
  // With local steps (rounds), a stride could miss all exchanges, or see nothing else.
  const size_t stride = exchange_interval(run) > 1 ? 1 : run.ranks.front().kept_count() / max_steps + 1;
  size_t number = 0;
  walk_steps(run, [&](const std::vector<const StepRecord*>& step) {
    const bool whole =
        std::all_of(step.begin(), step.end(), [](const StepRecord* record) { return record != nullptr; });
    if (!whole || step.front()->flags & kTuningBuckets) return;
    ++sample.all_steps;
    if (number++ % stride != 0) return;
    const StepRecord& own = *step.front();
    double tokens = 0, slowest = 0, bytes = 0;
    for (size_t i = 0; i < step.size(); ++i) {
      const double before = double{step[i]->waited} + step[i]->compute;
      sample.before_exchange[i].push_back(before);
      tokens += step[i]->tokens;
      bytes += static_cast<double>(step[i]->bytes);
      slowest = std::max(slowest, ready_at(*step[i]) - own.began);
    }
    sample.step.push_back(static_cast<double>(own.step));
    sample.seconds.push_back(own.seconds);
    sample.tokens.push_back(tokens);
    sample.slowest.push_back(slowest);
    const double waited = std::clamp(slowest - own.waited - own.compute, 0.0, double{own.exposed});
    sample.exchange.push_back(own.exposed - waited);
    sample.bytes.push_back(sample.of_all_workers ? bytes / static_cast<double>(step.size())
                                                 : static_cast<double>(own.bytes));
  });
  return sample;
}

SentBytes sent_bytes(const RunData& run, const StepSample& sample) {
  if (!sample.bytes.empty()) return {typical(run, sample.bytes), sample.of_all_workers};
  const std::vector<double> logged = finite(run.training.column("exchange_bytes_sent_per_step"));
  return {logged.empty() ? kNotKnown : typical(run, logged), false};
}

bool is_on_one_host(const RunData& run) { return run.hosts.size() == 1 && run.hosts.front().on_record; }

std::string wire_advice(const RunData& run) {
  if (!run.config || run.hosts.size() < 2 || may_use_nccl(run)) return "";
  const WorkersConfig& workers = run.config->workers;
  // With a sharded optimiser, half of the traffic is weights, in fp32.
  const auto bytes = [&](Wire wire) {
    return workers.shard_optimizer ? (wire_bytes(wire) + sizeof(float)) / 2 : wire_bytes(wire);
  };
  std::string text;
  for (const auto& [wire, name] : {std::pair(Wire::kBf16, "bf16"), std::pair(Wire::kInt8, "int8")}) {
    const double saved = 1 - bytes(wire) / bytes(workers.wire);
    if (saved < 0.01) continue;
    text += text.empty() ? fmt::format("workers.wire: {} saves {} of the bytes", name, percent(saved))
                         : fmt::format(", {} {}", name, percent(saved));
  }
  return text;
}

double exchanges_per_step(const RunData& run, const StepSample& sample) {
  const int64_t interval = exchange_interval(run);
  if (interval == 1 || sample.step.empty()) return 1 / static_cast<double>(interval);
  int64_t exchanges = 0;
  for (const double step : sample.step) exchanges += static_cast<int64_t>(step) % interval == 0 ? 1 : 0;
  if (static_cast<int64_t>(sample.step.back()) % interval != 0) ++exchanges;
  return static_cast<double>(exchanges) / static_cast<double>(sample.step.size());
}

std::optional<Straggler> find_straggler(const RunData& run, const StepSample& sample) {
  constexpr double kSlow = 1.1;
  if (run.ranks.size() < 2 || sample.step.empty()) return std::nullopt;
  std::vector<double> medians;
  for (const std::vector<double>& seconds : sample.before_exchange) medians.push_back(median(seconds));
  const size_t slowest = static_cast<size_t>(std::max_element(medians.begin(), medians.end()) - medians.begin());
  std::vector<double> others = medians;
  others.erase(others.begin() + static_cast<ptrdiff_t>(slowest));
  const double factor = medians[slowest] / median(others);
  if (!(factor > kSlow)) return std::nullopt;
  return Straggler{run.ranks[slowest].rank, factor};
}

}  // namespace verbund
