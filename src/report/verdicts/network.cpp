// SPDX-License-Identifier: Apache-2.0
// Verdict 7: network traffic, and whether the network was the bottleneck.
#include <algorithm>
#include <cmath>

#include "collectives/host_layout.h"
#include "core/human.h"
#include "page/number_format.h"
#include "report/judge.h"
#include "report/replay.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

constexpr double kBottleneck = 0.1, kReplayError = 0.05;
std::string no_gain(double share) {
  return fmt::format("A faster network or fewer bytes would gain {} at most: the time goes to computing.",
                     percent(std::max(0.0, share)));
}

// Each of h hosts sends 2 (h-1)/h of the gradient, or more if its number of workers is not a power of two
// (collectives/host_layout.h); its workers share that. Looked-up embedding rows come on top. The mean over the workers
// and, with rounds of local steps, over the steps.
double expected_bytes(const RunData& run, const StepSample& sample) {
  if (!run.newest_checkpoint || run.newest_checkpoint->parameters == 0 || !run.config || run.hosts.empty()) {
    return kNotKnown;
  }
  const WorkersConfig& workers = run.config->workers;
  double bytes = wire_bytes(workers.wire);
  if (workers.shard_optimizer) bytes = (bytes + sizeof(float)) / 2;  // half of the traffic is weights, in fp32
  std::vector<std::string> host_of_rank(static_cast<size_t>(run.workers()));
  for (const HostFacts& host : run.hosts) {
    if (!host.on_record) return kNotKnown;
    for (const int rank : host.workers) {
      if (rank < run.workers()) host_of_rank[static_cast<size_t>(rank)] = host.name;
    }
  }
  const HostLayout layout(host_of_rank);
  if (layout.hosts() < 2) return 0;
  const double gradients = layout.all_traffic() / run.workers();
  return gradients * static_cast<double>(run.newest_checkpoint->parameters) * bytes * exchanges_per_step(run, sample);
}

// Bytes per sampled step that the interfaces of each host sent, by their own counters, without the loopback.
std::map<std::string, double> interface_bytes(const RunData& run) {
  std::map<std::string, double> bytes, steps;
  for (const Resources& resources : run.resources) {
    if (resources.times.size() < 2) continue;
    const double span = resources.times.back() - resources.times.front();
    const bool counts = std::any_of(resources.header.columns.begin(), resources.header.columns.end(),
                                    [](const ResourceColumn& column) { return column.name.starts_with("net."); });
    if (!counts || !run.steps_of(0)) continue;  // only the first worker of a host samples interfaces
    for (const StepRecord& record : run.steps_of(0)->records) {
      const bool sampled = record.began >= resources.times.front() && record.began < resources.times.back();
      steps[resources.header.host] += sampled ? 1 : 0;
    }
    for (size_t i = 0; i < resources.header.columns.size(); ++i) {
      const std::string& name = resources.header.columns[i].name;
      if (!name.starts_with("net.") || !name.ends_with(".sent_bytes") || name.starts_with("net.lo.")) continue;
      const std::vector<float>& values = resources.values[i];
      const std::vector<double> known = finite(std::vector<double>(values.begin(), values.end()));
      if (!known.empty()) bytes[resources.header.host] += mean(known) * span;
    }
  }
  for (auto& [host, all] : bytes) all /= std::max(1.0, steps[host]);
  return bytes;
}

Chart what_if_chart(const Replay& replay) {
  Chart chart{"what_if_bandwidth", "What if the network were slower or faster?", "times the bandwidth",
              "seconds of a step", "Where the line is flat, more bandwidth does not help."};
  chart.log_x = true;
  Series line{"replayed", {}, {}, {}, {}, Drawn::kLine};
  for (int half_octave = -4; half_octave <= 8; ++half_octave) {
    const double factor = std::exp2(half_octave / 2.0);
    line.x.push_back(factor);
    line.y.push_back(replay.step_seconds(factor));
  }
  Series limit{"infinite bandwidth", {0.25, 16}, {}, {}, {}, Drawn::kLine};
  limit.y.assign(2, replay.step_seconds(kInfiniteBandwidth));
  chart.series = {line, limit};
  chart.marks.push_back({1, "actual"});
  return chart;
}

void judge_replay(Verdict& verdict, const Replay& replay, const std::string& sent) {
  const double now = replay.step_seconds(1), twice = replay.step_seconds(2),
               none = replay.step_seconds(kInfiniteBandwidth);
  const double saved = 1 - none / now, saved_by_two = 1 - twice / now;
  verdict.add("step as measured", replay.measured(), "s");
  verdict.add("step with twice the bandwidth", twice, "s");
  verdict.add("step with infinite bandwidth", none, "s");
  verdict.add("rate of a worker, sending", replay.bytes_per_second() / 1e6, "MB/s");
  verdict.add("latency of a bucket", 1000 * replay.latency(), "ms");
  verdict.add("error of the replay", 100 * replay.error(), "%");
  verdict.charts.push_back(what_if_chart(replay));
  const std::string right = fmt::format("the replay matches measured step times within {}", percent(replay.error()));
  if (saved >= kBottleneck) {
    verdict.finding = Grade::kBad;
    verdict.sentence = fmt::format(
        "Yes, it was the bottleneck: with twice the bandwidth a step would take {} instead of {} ({} less), with "
        "infinite bandwidth {} ({} less); {}. {}",
        short_seconds(twice), short_seconds(now), percent(saved_by_two), short_seconds(none), percent(saved), right,
        sent);
  } else {
    verdict.finding = Grade::kGood;
    verdict.would_change = no_gain(saved);
    verdict.sentence = fmt::format(
        "No, it was not the bottleneck: even infinite bandwidth would make a step only {} shorter ({} instead of {}; "
        "{}). {}",
        percent(std::max(0.0, saved)), short_seconds(none), short_seconds(now), right, sent);
  }
}

}  // namespace

Verdict network(const RunData& run) {
  Verdict verdict = ask("network", "What went over the network, and was it the bottleneck?");
  verdict.in_short = "the network was the bottleneck";
  verdict.rule = fmt::format(
      "The exchange of traced steps is replayed bucket by bucket with another bandwidth; the network is the bottleneck "
      "if infinite bandwidth would save {} of a step. If the replay with the actual bandwidth misses the measured time "
      "by more than {}, it is not used. The utilisation of the link proves nothing: a link can be idle half of the "
      "time and still be what all wait for.",
      percent(kBottleneck), percent(kReplayError));
  const std::string wire = wire_advice(run);
  verdict.would_change = (wire.empty() ? "Larger" : wire + "; larger") +
                         " batches exchange less often; workers of fewer, larger hosts share memory.";
  const int workers = run.workers();
  if (workers < 2) {
    if (run.imported) return cannot_tell(verdict, kNotImported);
    verdict.sentence = "Nothing: a single worker exchanges no gradients.";
    verdict.would_change = "With more workers there would be something to exchange (verbund launch).";
    verdict.finding = Grade::kGood;
    return verdict;
  }
  const StepSample sample = sample_steps(run);
  const auto [bytes, of_all_workers] = sent_bytes(run, sample);
  if (!is_known(bytes)) {
    return cannot_tell(verdict, run.imported ? kNotImported : "the bytes sent are not on record.");
  }
  const double seconds =
      sample.seconds.empty() ? median(finite(run.training.column("seconds_per_step"))) : typical(run, sample.seconds);
  const int64_t interval = exchange_interval(run);
  // The sender is the mean of all workers, whom the expectation is for, or worker 0.
  const double expected = of_all_workers ? expected_bytes(run, sample) : kNotKnown;
  const char* sender = of_all_workers ? "a worker" : "worker 0";
  verdict.add(fmt::format("sent by {} in a step, counted", sender), bytes / 1e6, "MB");
  if (of_all_workers) {
    verdict.add("the same, expected: of h hosts with n workers 2 (h-1)/n x parameters x bytes of each", expected / 1e6,
                "MB");
  }
  verdict.add(fmt::format("rate of {} over the whole step", sender), 8 * bytes / seconds / 1e6, "Mbit/s");
  if (bytes == 0 || is_on_one_host(run)) {
    verdict.sentence =
        fmt::format("Nothing: all {} workers are on one host, and exchange gradients within it.", workers);
    verdict.would_change = "Workers on more hosts would use the network.";
    verdict.finding = Grade::kGood;
    return verdict;
  }
  verdict.would_change =
      fmt::format("{}arger batches{} exchange less often; workers of fewer, larger hosts share memory.",
                  wire.empty() ? "L" : wire + "; l", interval > 1 ? " and a larger workers.sync_every" : "");
  std::string sent =
      of_all_workers ? fmt::format("On average, each of {} workers", workers) : fmt::format("Worker 0 of {}", workers);
  sent += fmt::format(" sent {} per step{}", human_bytes(static_cast<uint64_t>(bytes)),
                      interval > 1 ? fmt::format(", in one exchange every {} steps", interval) : "");
  if (is_known(expected)) {
    sent += std::abs(bytes / expected - 1) < 0.02
                ? ", as expected"
                : fmt::format(" ({} expected{})", human_bytes(static_cast<uint64_t>(expected)),
                              bytes > expected && interval == 1 ? ", and rows of embeddings" : "");
  }
  sent += fmt::format(", {} in a {} step.", bit_rate(bytes / seconds), interval > 1 ? "mean" : "median");
  for (const auto& [host, sent_bytes] : interface_bytes(run)) {
    verdict.figures.push_back(
        figure(fmt::format("sent by the interfaces of {} in a step, all traffic", host), sent_bytes / 1e6, "MB"));
  }
  const auto replay = Replay::make(run.exchange, workers);
  if (replay && replay->error() <= kReplayError) {
    judge_replay(verdict, *replay, sent);
    return verdict;
  }
  // Without a replay there is a bound: more bandwidth can save at most the wait for the exchange.
  const double waited = sample.seconds.empty()
                            ? median(finite(run.training.column("exchange_exposed_seconds_per_step")))
                            : mean(sample.exchange);
  const double share = waited / (sample.seconds.empty() ? seconds : mean(sample.seconds));
  verdict.add("step waiting for the exchange", 100 * share, "%");
  if (share < kBottleneck) {
    verdict.finding = Grade::kGood;
    verdict.would_change = no_gain(share);
    verdict.sentence = fmt::format(
        "No, it was not the bottleneck: steps waited for the exchange for {} of their time, and no network can save "
        "more. {}",
        percent(share), sent);
    return verdict;
  }
  if (replay) verdict.add("error of the replay", 100 * replay->error(), "%");
  return cannot_tell(
      verdict,
      fmt::format("steps waited for the exchange for {} of their time, but {}. {}", percent(share),
                  replay
                      ? fmt::format("the replay misses the measured times by {}", percent(replay->error()))
                      : std::string("there are no traces of its buckets, which would separate bandwidth from waiting"),
                  sent));
}

}  // namespace verbund
