// SPDX-License-Identifier: Apache-2.0
#include "plan/run_rates.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "report/layouts.h"
#include "report/replay.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

constexpr size_t kFewestSteps = 5;

struct RecordedSteps {
  std::vector<double> seconds, compute, update, rest;
};

// The recorded steps of one worker, without those that tune the bucket size.
RecordedSteps recorded(const RankSteps& rank) {
  RecordedSteps steps;
  rank.for_each_kept([&](const StepRecord& record) {
    if ((record.flags & (kTuningBuckets | kNotUpdated)) != 0) return;
    steps.seconds.push_back(record.seconds);
    steps.compute.push_back(record.compute);
    steps.update.push_back(record.update);
    steps.rest.push_back(record.seconds - record.compute - record.exposed - record.update);
  });
  return steps;
}

std::vector<Host> hosts_of(const RunData& run) {
  std::vector<Host> hosts;
  for (const HostFacts& host : run.hosts) {
    if (!host.workers.empty()) hosts.push_back({host.name, static_cast<int>(host.workers.size())});
  }
  if (hosts.empty()) hosts.push_back({"localhost", run.workers()});
  return hosts;
}

// Seconds per step during which buckets were exchanged, by the worker that waited least for others.
double median_exchange(const RunData& run) {
  std::map<int64_t, double> least;
  for (const ExchangeTrace& trace : run.exchange) {
    double busy = 0;
    for (const BucketTimes& bucket : trace.buckets) busy += bucket.end - bucket.begin;
    const auto [known, is_new] = least.emplace(trace.step, busy);
    if (!is_new) known->second = std::min(known->second, busy);
  }
  std::vector<double> seconds;
  for (const auto& [step, busy] : least) seconds.push_back(busy);
  return seconds.empty() ? 0 : median(seconds);
}

ExchangeRates exchange_of(const RunData& run, const ExchangeLayout& layout, double gradient_bytes) {
  ExchangeRates rates;
  // The recorded computation includes the slowdown by the exchange.
  if (layout.workers > 1) rates.core_seconds_per_byte = rates.core_seconds_per_local_byte = 0;
  if (layout.hosts == 1 && layout.workers > 1) {
    const double seconds = median_exchange(run);
    if (seconds > 0) rates.memory = gradient_bytes / seconds;
    rates.source = fmt::format("record of {}, within one host", run.name);
    rates.unknown = fmt::format("{} trained on one host", run.name);
    return rates;
  }
  const auto replay = Replay::make(run.exchange, layout.workers);
  if (!replay || !std::isfinite(replay->bytes_per_second())) {
    rates.unknown = layout.hosts == 1 ? fmt::format("{} trained on one host", run.name)
                    : run.config->workers.has_rounds()
                        ? fmt::format(
                              "{} trained in rounds of local steps (workers.sync_every), whose exchanges leave "
                              "no traces",
                              run.name)
                        : fmt::format("{} has no usable traces of its exchanges", run.name);
    return rates;
  }
  rates.link = replay->bytes_per_second() * layout.max_workers_per_host;  // they share the link
  rates.round_trip = replay->latency();
  rates.source = fmt::format("record of {}, {} traced steps: {:.1f} MB/s per host, {:.2f} ms per bucket", run.name,
                             replay->steps(), rates.link / 1e6, 1e3 * rates.round_trip);
  return rates;
}

}  // namespace

std::optional<RunRates> find_rates(const RunData& whole, BatchSource& batches) {
  const std::optional<LayoutPart> part = largest_part(whole);
  const RunData& run = part ? part->run : whole;
  RunRates found;
  found.hosts = hosts_of(run);
  const ExchangeLayout layout = ExchangeLayout::of(found.hosts, total_slots(found.hosts));
  double compute = 0, update = 0, rest = 0;
  for (const RankSteps& rank : run.ranks) {
    const RecordedSteps steps = recorded(rank);
    if (steps.seconds.size() < kFewestSteps) continue;
    compute = std::max(compute, median(steps.compute));
    update = std::max(update, median(steps.update));
    rest = std::max(rest, median(steps.rest));
    const bool rounds = run.config && run.config->workers.has_rounds();  // few steps have an exchange, and they count
    found.step_seconds = std::max(found.step_seconds, rounds ? mean(steps.seconds) : median(steps.seconds));
    found.steps = std::max(found.steps, steps.seconds.size());
  }
  if (found.steps == 0 || !run.config) return {};
  const BatchFacts facts = batches.facts(*run.config, layout.workers);
  const VocabularySizes sizes = batches.vocabularies();
  const auto stages = work_stages(run.config->model, sizes, facts.worker);
  const ParameterTable table(run.config->model, sizes);
  found.compute = rates_of_cpu(stages, compute, static_cast<double>(table.count()), update);
  found.compute.rest = rest;
  found.compute.gpu = run.config->device == DeviceChoice::kCuda || run.config->device == DeviceChoice::kEmulated;
  if (!run.hosts.empty() && is_known(run.hosts.front().threads_per_worker)) {
    found.compute.threads = std::max(1, static_cast<int>(run.hosts.front().threads_per_worker));
  }
  found.compute.source =
      fmt::format("record of {}, {} steps: {:.3f} s of computing, {:.3f} s of updating in a median step{}", run.name,
                  found.steps, compute, update, part ? ". " + part->about : "");
  found.exchange = exchange_of(run, layout, 4 * static_cast<double>(table.count()));
  return found;
}

RunRates rates_of_run(const RunData& run, BatchSource& batches) {
  if (const std::optional<RunRates> found = find_rates(run, batches)) return *found;
  fail(
      "{} has no usable step times: it has {} on record, {} steps are needed. Train with train.record, or give "
      "--tokens-per-second.",
      run.folder.string(), run.config ? "too few of them" : "no configuration", kFewestSteps);
}

std::unique_ptr<BatchSource> batches_of_run(const RunData& run) {
  if (!run.record.contains("dataset")) return nullptr;
  const std::string path = run.record["dataset"].value("path", "");
  return fs::exists(path) ? std::make_unique<BatchesOfDataset>(path) : nullptr;
}

}  // namespace verbund
