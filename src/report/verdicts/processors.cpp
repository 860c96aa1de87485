// SPDX-License-Identifier: Apache-2.0
// Verdict 4: whether the processors were busy.
#include <algorithm>
#include <map>

#include "report/judge.h"
#include "report/number_format.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

constexpr double kBusy = 0.8, kSteal = 0.05, kSpinning = 0.25;

struct HostUse {
  double seconds = 0;  // sampled
  double process = 0;  // CPU seconds of its workers
  double steal = 0, idle = 0, other = 0;
  double observed = 0;  // seconds with samples of the whole host
  double pressure = kNotKnown;
  std::map<std::string, double> gpu;  // "gpu.0.use" -> mean share
};

// Mean of a column; NaN if there is none.
double column_mean(const Resources& resources, const std::string& name) {
  const std::span<const float> column = resources.column(name);
  const std::vector<double> known = finite(std::vector<double>(column.begin(), column.end()));
  return known.empty() ? kNotKnown : mean(known);
}

std::map<std::string, HostUse> use_of_hosts(const RunData& run) {
  std::map<std::string, HostUse> hosts;
  for (const Resources& resources : run.resources) {
    if (resources.times.size() < 2) continue;
    const double span = resources.times.back() - resources.times.front();
    HostUse& host = hosts[resources.header.host];
    const double cpu = column_mean(resources, "process.cpu_user") + column_mean(resources, "process.cpu_system");
    if (is_known(cpu)) host.process += cpu * span;
    if (const double idle = column_mean(resources, "host.cpu_idle"); is_known(idle)) {
      host.observed += span;
      host.idle += idle * span;
      const double steal = column_mean(resources, "host.cpu_steal");
      if (is_known(steal)) host.steal += steal * span;
      const double user = column_mean(resources, "host.cpu_user") + column_mean(resources, "host.cpu_system");
      if (is_known(user)) host.other += user * span;
      host.pressure = column_mean(resources, "host.pressure_cpu");
    }
    for (const ResourceColumn& column : resources.header.columns) {
      if (column.name.starts_with("gpu.") && column.name.ends_with(".use")) {
        host.gpu[column.name] = column_mean(resources, column.name);
      }
    }
  }
  for (auto& [name, host] : hosts) {
    // The workers of a host sample at the same time: the longest total counts.
    std::map<int, double> by_rank;
    for (const Resources& resources : run.resources) {
      if (resources.header.host == name && resources.times.size() >= 2) {
        by_rank[resources.header.rank] += resources.times.back() - resources.times.front();
      }
    }
    for (const auto& [rank, span] : by_rank) host.seconds = std::max(host.seconds, span);
  }
  return hosts;
}

const HostFacts* facts_of(const RunData& run, const std::string& name) {
  for (const HostFacts& host : run.hosts) {
    if (host.name == name) return &host;
  }
  return nullptr;
}

// Share of step time that the workers spent computing and updating.
double working_share(const Ledger& ledger) {
  double working = 0, all = 0;
  for (const RankTime& rank : ledger.ranks) {
    for (const TimeUse use :
         {TimeUse::kCompute, TimeUse::kUpdate, TimeUse::kData, TimeUse::kExchange, TimeUse::kSlowest}) {
      const double seconds = rank.parts[static_cast<size_t>(use)];
      all += seconds;
      if (use == TimeUse::kCompute || use == TimeUse::kUpdate) working += seconds;
    }
  }
  return all > 0 ? working / all : kNotKnown;
}

Chart use_chart(const RunData& run) {
  Chart chart{"processors", "Cores in use, by worker", "minutes since the start", "cores",
              "Flat lines near the number of threads are good; gaps are waiting, evaluations, or a stop."};
  double first = run.resources.front().times.empty() ? 0 : run.resources.front().times.front();
  for (const Resources& resources : run.resources) {
    if (!resources.times.empty()) first = std::min(first, resources.times.front());
  }
  std::map<int, Series> by_rank;
  for (const Resources& resources : run.resources) {
    const std::span<const float> user = resources.column("process.cpu_user"),
                                 system = resources.column("process.cpu_system");
    if (user.empty() || system.empty()) continue;
    Series& series = by_rank[resources.header.rank];
    series.name = run.worker_name(resources.header.rank);
    if (!series.x.empty()) {  // a gap between starts
      series.x.push_back(series.x.back());
      series.y.push_back(kNotKnown);
    }
    const size_t stride = resources.times.size() / 300 + 1;
    for (size_t i = 0; i < resources.times.size(); i += stride) {
      series.x.push_back((resources.times[i] - first) / 60);
      series.y.push_back(user[i] + system[i]);
    }
  }
  for (auto& [rank, series] : by_rank) chart.series.push_back(std::move(series));
  return chart;
}

}  // namespace

Verdict processors(const RunData& run, const Ledger& ledger) {
  Verdict verdict = ask("processors", "Were the processors busy?");
  verdict.rule = fmt::format(
      "CPU seconds of the workers divided by wall time times the cores that they may use: {} or more is busy. Workers "
      "that "
      "are busy but compute for {} less of the time are spinning. Time that a hypervisor gave to others (steal) counts "
      "from {} on. CPU use says nothing about speed: how close the products come to the peak is not measured here.",
      percent(kBusy), percent(kSpinning), percent(kSteal));
  verdict.would_change = "Change threads, the number of workers on a host, or batch.tokens.";
  if (run.resources.empty()) {
    return cannot_tell(verdict, run.imported ? "an imported run has no record of its processors."
                                             : "there are no samples of the processors.");
  }
  double used = 0, allowed = 0, lowest = 2, gpu = 0;
  size_t gpus = 0;
  std::string idlest, notes;
  for (const auto& [name, host] : use_of_hosts(run)) {
    const HostFacts* facts = facts_of(run, name);
    if (!facts || !is_known(facts->cores) || host.seconds <= 0) continue;
    // Workers may be bound to some of the cores; then the use of the others is unknown.
    const bool all_cores = !is_known(facts->allowed_cores) || facts->allowed_cores == facts->cores;
    const double cores = all_cores ? facts->cores : facts->allowed_cores;
    const double share = host.process / (host.seconds * cores);
    used += host.process;
    allowed += host.seconds * cores;
    if (share < lowest) {
      lowest = share;
      idlest = name;
    }
    verdict.add(name + ": CPU use", 100 * share, "%");
    if (host.observed > 0) {
      const double steal = host.steal / (host.observed * facts->cores);
      verdict.add(name + ": taken by the hypervisor (steal)", 100 * steal, "%");
      if (steal >= kSteal)
        notes += fmt::format(" On {} the hypervisor gave {} of the cores' time to others.", name, percent(steal));
      const double others = all_cores ? host.other / (host.observed * cores) - share : kNotKnown;
      if (all_cores) verdict.add(name + ": CPU use of other programs", 100 * std::max(0.0, others), "%");
      if (others > 0.1)
        notes += fmt::format(" On {} other programs took {} of the cores' time.", name, percent(others));
    }
    if (is_known(host.pressure)) {
      verdict.figures.push_back(figure(name + ": time in which something waited for a core", 100 * host.pressure, "%"));
    }
    for (const auto& [column, value] : host.gpu) {
      if (!is_known(value)) continue;
      verdict.add(fmt::format("{}: {} (some kernel ran)", name, column), 100 * value, "%");
      gpu += value;
      ++gpus;
    }
  }
  if (allowed <= 0) return cannot_tell(verdict, "the number of cores of the hosts is not on record.");
  const double share = used / allowed, working = working_share(ledger);
  verdict.add("CPU use, all hosts", 100 * share, "%");
  if (is_known(working)) verdict.add("computing and updating, of the time of steps", 100 * working, "%");
  verdict.charts.push_back(use_chart(run));

  const bool spins = is_known(working) && share >= kBusy && share - working > kSpinning;
  if (spins) {
    verdict.finding = Grade::kBad;
    verdict.sentence = fmt::format(
        "Busy, but not with work: {} of the cores' time was used, while steps computed for only {} of their time; the "
        "rest "
        "was spent spinning.",
        percent(share), percent(working));
  } else if (share >= kBusy) {
    verdict.finding = Grade::kGood;
    verdict.sentence = fmt::format("Yes: the workers used {} of the cores' time.", percent(share));
  } else {
    verdict.finding = share < 0.5 ? Grade::kBad : Grade::kNeutral;
    verdict.sentence = fmt::format(
        "Not fully: the workers used {} of the cores' time{}.", percent(share),
        percent(lowest) != percent(share) ? fmt::format(" (least on {}: {})", idlest, percent(lowest)) : "");
    if (is_known(working))
      verdict.sentence += fmt::format(" In steps they computed for {} of the time.", percent(working));
  }
  if (gpus > 0) {
    verdict.sentence +=
        fmt::format(" On the GPUs some kernel ran {} of the time, which does not show how well it used them.",
                    percent(gpu / static_cast<double>(gpus)));
  }
  if (const auto straggler = find_straggler(run, sample_steps(run))) {
    notes += fmt::format(" {} is a straggler: it computes {} slower than the others.",
                         capital(run.worker_name(straggler->rank)), percent(straggler->factor - 1));
    if (verdict.finding == Grade::kGood) verdict.finding = Grade::kNeutral;
  }
  if (!notes.empty() && verdict.finding == Grade::kGood) verdict.finding = Grade::kNeutral;
  verdict.sentence += notes;
  return verdict;
}

}  // namespace verbund
