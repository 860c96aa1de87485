// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>
#include <cmath>

#include "plan/compute_rates.h"

namespace verbund {
namespace {

constexpr double kWorthIt = 0.01;

struct Change {
  Scenario scenario;
  Advice advice;
};

class Changes {
 public:
  explicit Changes(const Scenario& now) : now_(now) {}

  Scenario& add(const std::string& setting, const std::string& meaning) {
    Advice advice;
    advice.setting = setting;
    advice.meaning = meaning;
    all_.push_back({now_, advice});
    return all_.back().scenario;
  }
  void changes_the_batch() { all_.back().advice.another_batch = true; }
  std::vector<Change> take() { return std::move(all_); }

 private:
  const Scenario& now_;
  std::vector<Change> all_;
};

void try_wires(Changes& changes, const Scenario& now) {
  const Wire wire = now.config.workers.wire;
  if (now.hosts.size() == 1) return;
  const std::string by_hosts = now.compute.gpu && wire == Wire::kFp32 ? "; over the hosts instead of NCCL" : "";
  if (wire == Wire::kFp32) {
    changes.add("workers.wire=bf16", "or fp16: half the bytes between hosts, sums stay fp32" + by_hosts)
        .config.workers.wire = Wire::kBf16;
  }
  if (wire != Wire::kInt8) {
    changes
        .add("workers.wire=int8",
             "one byte per value, and rounding errors are carried over to the next step" + by_hosts)
        .config.workers.wire = Wire::kInt8;
  }
}

// Fewer exchanges: the only change for a network that int8 does not help either.
void try_rounds(Changes& changes, const Scenario& now, double steps) {
  const WorkersConfig& workers = now.config.workers;
  if (now.hosts.size() == 1 || workers.shard_optimizer || workers.transport == Exchange::kNccl) return;
  int64_t fewer = workers.has_rounds() ? 4 * workers.sync_every : 32;
  if (steps > 0) fewer = std::min(fewer, static_cast<int64_t>(std::ceil(steps)));
  if (fewer <= workers.sync_every) return;  // it exchanges once
  changes
      .add(fmt::format("workers.sync_every={}", fewer),
           fmt::format("workers exchange only every {} steps and train on their own between; each step learns less, so "
                       "compare the dev loss",
                       fewer))
      .config.workers.sync_every = fewer;
  if (!workers.has_rounds() || workers.sync_delay > 0) return;
  const int64_t delay = workers.sync_every / 2;
  changes
      .add(fmt::format("workers.sync_delay={}", delay),
           fmt::format("the exchange is hidden by the last {} steps of a round; needs more memory", delay))
      .config.workers.sync_delay = delay;
}

// A ring of all GPUs crosses the network more often than hosts that sum locally first.
void try_transports(Changes& changes, const Scenario& now) {
  if (!now.compute.gpu || now.hosts.size() == 1 || now.config.workers.transport == Exchange::kMpi) return;
  changes
      .add("workers.transport=mpi",
           "hosts sum the gradients of their GPUs before they cross the network, instead of a ring of GPUs")
      .config.workers.transport = Exchange::kMpi;
}

int64_t share_of_worker(const Scenario& now) { return now.config.batch.tokens / std::max(1, total_slots(now.hosts)); }

void try_batches(Changes& changes, const Scenario& now) {
  const int64_t tokens = now.config.batch.tokens, limit = now.config.train.micro_batch_tokens;
  const int64_t own = share_of_worker(now);
  for (const int64_t factor : {2, 4}) {
    changes
        .add(fmt::format("batch.tokens={}", factor * tokens),
             fmt::format("{0} times the batch: 1/{0} of the exchanges and updates for the same text", factor))
        .config.batch.tokens = factor * tokens;
    changes.changes_the_batch();
  }
  if (own < 1 || (limit > 0 && own >= limit)) return;  // micro-batches are in use already
  Scenario& accumulated =
      changes.add(fmt::format("batch.tokens={} train.micro_batch_tokens={}", 4 * tokens, own),
                  "4 times the batch by gradient accumulation: the same memory, less of the exchange is hidden");
  accumulated.config.batch.tokens = 4 * tokens;
  accumulated.config.train.micro_batch_tokens = own;
  changes.changes_the_batch();
}

// Only the last micro-batch hides the exchange: a larger one hides more and takes more memory.
void try_micro_batches(Changes& changes, const Scenario& now) {
  const int64_t limit = now.config.train.micro_batch_tokens;
  const int64_t own = share_of_worker(now);
  if (limit == 0 || own <= limit) return;
  const int64_t larger = 2 * limit >= own ? 0 : 2 * limit;
  changes.add(fmt::format("train.micro_batch_tokens={}", larger), "more of the computation hides the exchange")
      .config.train.micro_batch_tokens = larger;
}

void try_layouts(Changes& changes, const Scenario& now) {
  const int all = total_slots(now.hosts);
  if (now.hosts.size() > 1) {
    changes
        .add(fmt::format("-H {}:{}", now.hosts.front().name, all),
             "all workers on one host with enough slots: nothing crosses the network")
        .hosts = {{now.hosts.front().name, all}};
    changes
        .add(fmt::format("-H {}:{}", now.hosts.front().name, now.hosts.front().slots),
             "the first host alone: the others gain less than the network costs")
        .hosts = {now.hosts.front()};
  }
  const ExchangeLayout layout = ExchangeLayout::of(now.hosts, all);
  if (now.compute.gpu || layout.max_workers_per_host == 1) return;
  // One worker with the threads of all: the same work on the same cores.
  Scenario& one_each = changes.add("one worker per host, with the threads of all",
                                   "no sums in the host's memory, and fewer rows looked up twice");
  for (Host& host : one_each.hosts) host.slots = 1;
  one_each.compute.gemm *= layout.max_workers_per_host;
  one_each.compute.attention *= layout.max_workers_per_host;
  one_each.compute.update_bytes *= layout.max_workers_per_host;
  one_each.compute.threads *= layout.max_workers_per_host;
}

void try_precision(Changes& changes, const Scenario& now) {
  if (now.gpu.empty() || now.config.train.precision != Precision::kFp32) return;
  const Precision faster = fastest_precision(now.gpu);
  Scenario& scenario = changes.add(
      fmt::format("train.precision={}", kPrecisionNames[static_cast<size_t>(faster)]),
      faster == Precision::kFp16 ? "GEMMs on tensor cores; needs loss_scale.type=backoff" : "GEMMs on tensor cores");
  scenario.config.train.precision = faster;
  scenario.compute = rates_of_gpu(now.gpu, faster);
}

void try_rest(Changes& changes, const Scenario& now) {
  if (now.config.workers.shard_optimizer) {
    changes.add("workers.shard_optimizer=false", "no all-gather of weights after the update; takes more memory")
        .config.workers.shard_optimizer = false;
  }
  if (now.hosts.size() > 1) {
    changes.add("a network 10 times as fast", "faster network cards, or hosts in one rack").exchange.link *= 10;
  }
}

}  // namespace

std::vector<Advice> advise(const Scenario& scenario, BatchSource& batches, const Prediction& now) {
  Changes changes(scenario);
  try_wires(changes, scenario);
  try_rounds(changes, scenario, now.steps);
  try_transports(changes, scenario);
  try_batches(changes, scenario);
  try_micro_batches(changes, scenario);
  try_layouts(changes, scenario);
  try_precision(changes, scenario);
  try_rest(changes, scenario);
  std::vector<Advice> found;
  for (Change& change : changes.take()) {
    const Prediction then = predict(change.scenario, batches, total_slots(change.scenario.hosts));
    change.advice.gain = then.tokens_per_second() / now.tokens_per_second() - 1;
    change.advice.step_seconds = then.step.seconds;
    change.advice.memory_bytes = then.memory_bytes;
    if (change.advice.gain >= kWorthIt) found.push_back(change.advice);
  }
  std::stable_sort(found.begin(), found.end(), [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  return found;
}

}  // namespace verbund
