// SPDX-License-Identifier: Apache-2.0
// Use of the hosts' cores, by the workers and by others, from the samples of resources.
#include <algorithm>
#include <map>

#include "page/number_format.h"
#include "report/verdicts/evidence.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

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

}  // namespace

std::vector<HostLoad> host_loads(const RunData& run) {
  std::vector<HostLoad> loads;
  for (const auto& [name, host] : use_of_hosts(run)) {
    const HostFacts* facts = facts_of(run, name);
    if (!facts || !is_known(facts->cores) || host.seconds <= 0) continue;
    // Workers may be bound to some of the cores; then the use of the others is unknown.
    const bool all_cores = !is_known(facts->allowed_cores) || facts->allowed_cores == facts->cores;
    HostLoad load;
    load.name = name;
    load.seconds = host.seconds;
    load.cores = all_cores ? facts->cores : facts->allowed_cores;
    load.workers = host.process / (load.seconds * load.cores);
    if (host.observed > 0) {
      load.steal = host.steal / (host.observed * facts->cores);
      if (all_cores) load.others = std::max(0.0, host.other / (host.observed * load.cores) - load.workers);
    }
    load.pressure = host.pressure;
    load.gpu = host.gpu;
    loads.push_back(std::move(load));
  }
  return loads;
}

std::string advice_on_others(const std::vector<HostLoad>& loads) {
  std::vector<std::string> crowded, stolen;
  for (const HostLoad& load : loads) {
    if (load.others > kMuchByOthers) crowded.push_back(load.name);
    if (load.steal >= kMuchSteal) stolen.push_back(load.name);
  }
  std::vector<std::string> advice;
  if (!crowded.empty()) advice.push_back(fmt::format("Stop the other programs on {}", list_text(crowded)));
  if (!stolen.empty()) advice.push_back(fmt::format("Use machines of your own instead of {}", list_text(stolen)));
  return advice.empty()
             ? ""
             : fmt::format("{}: until then, every time here is that of a shared machine.", fmt::join(advice, ". "));
}

}  // namespace verbund
