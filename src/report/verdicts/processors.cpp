// SPDX-License-Identifier: Apache-2.0
// Verdict 6: whether the processors were busy.
#include <algorithm>
#include <map>

#include "page/number_format.h"
#include "report/judge.h"
#include "report/verdicts/evidence.h"

namespace verbund {
namespace {

constexpr double kBusy = 0.8, kSpinning = 0.25;

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
  verdict.in_short = "the workers used only a part of the processors";
  verdict.rule = fmt::format(
      "CPU seconds of the workers divided by wall time times the cores that they may use: {} or more is busy. Workers "
      "that are busy but compute for {} less of the time are spinning. Time that a hypervisor gave to others (steal) "
      "counts from {} on. CPU use says nothing about speed: how close the GEMMs come to the peak is not measured "
      "here.",
      percent(kBusy), percent(kSpinning), percent(kMuchSteal));
  verdict.would_change = "Change threads, the number of workers on a host, or batch.tokens.";
  if (run.resources.empty()) {
    return cannot_tell(verdict, run.imported ? kNotImported : "there are no samples of the processors.");
  }
  double used = 0, allowed = 0, lowest = 2, gpu = 0;
  size_t gpus = 0;
  std::string idlest, notes;
  const std::vector<HostLoad> loads = host_loads(run);
  for (const HostLoad& load : loads) {
    used += load.workers * load.seconds * load.cores;
    allowed += load.seconds * load.cores;
    if (load.workers < lowest) {
      lowest = load.workers;
      idlest = load.name;
    }
    verdict.add(load.name + ": CPU use", 100 * load.workers, "%");
    if (is_known(load.steal)) verdict.add(load.name + ": taken by the hypervisor (steal)", 100 * load.steal, "%");
    if (load.steal >= kMuchSteal) {
      notes +=
          fmt::format(" On {} the hypervisor gave {} of the cores' time to others.", load.name, percent(load.steal));
    }
    if (is_known(load.others)) verdict.add(load.name + ": CPU use of other programs", 100 * load.others, "%");
    if (load.others > kMuchByOthers) {
      notes += fmt::format(" On {} other programs took {} of the cores' time.", load.name, percent(load.others));
    }
    if (is_known(load.pressure)) {
      verdict.add(load.name + ": time in which something waited for a core", 100 * load.pressure, "%");
    }
    for (const auto& [column, value] : load.gpu) {
      if (!is_known(value)) continue;
      verdict.add(fmt::format("{}: {} (some kernel ran)", load.name, column), 100 * value, "%");
      gpu += value;
      ++gpus;
    }
  }
  if (allowed <= 0)
    return cannot_tell(verdict, "no host has both its number of cores and some seconds of use on record.");
  const double share = used / allowed, working = working_share(ledger);
  verdict.add("CPU use, all hosts", 100 * share, "%");
  if (is_known(working)) verdict.add("computing and updating, of the time of steps", 100 * working, "%");
  verdict.charts.push_back(use_chart(run));

  const bool spins = is_known(working) && share >= kBusy && share - working > kSpinning;
  if (spins) {
    verdict.finding = Grade::kBad;
    verdict.sentence = fmt::format(
        "Busy, but not with work: {} of the cores' time was used, while steps computed for only {} of their time; the "
        "rest was spent spinning.",
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
    notes += fmt::format(" {} is a straggler: it needs {} longer than the others before it can exchange.",
                         capital(run.worker_name(straggler->rank)), percent(straggler->factor - 1));
    if (verdict.finding == Grade::kGood) verdict.finding = Grade::kNeutral;
  }
  if (const std::string advice = advice_on_others(loads); !advice.empty()) {
    verdict.would_change = advice;
  } else if (spins) {
    verdict.would_change = fmt::format(
        "Use fewer threads, or fewer workers on a host: {} of the time they wait for each other while they spin.",
        percent(share - working));
  } else if (share >= kBusy) {
    verdict.would_change = fmt::format("Use more or faster cores: these are {} busy.", percent(share));
  } else {
    verdict.would_change = fmt::format("Change threads, the number of workers on a host, or batch.tokens: {} was idle.",
                                       percent(1 - share));
  }
  if (!notes.empty() && verdict.finding == Grade::kGood) verdict.finding = Grade::kNeutral;
  verdict.sentence += notes;
  return verdict;
}

}  // namespace verbund
