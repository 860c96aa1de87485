// SPDX-License-Identifier: Apache-2.0
#include "collectives/agreement.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "collectives/threads.h"
#include "config/settings.h"
#include "control/sockets.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/log.h"
#include "data/dataset.h"
#include "data/verified_note.h"

namespace verbund {
namespace {

// The first line that differs, apart from `threads`, which may: what the comparison of keys leaves out are lists.
std::string describe_other_line(const std::string& first, const std::string& other) {
  std::istringstream ours(first), theirs(other);
  std::string one, two;
  while (true) {
    const bool more = static_cast<bool>(std::getline(ours, one));
    if (static_cast<bool>(std::getline(theirs, two)) != more) return "\n  one has more lines than the other";
    if (!more) return "";
    if (one != two && !one.starts_with("threads:")) {
      return fmt::format("\n  it has the line \"{}\", but worker 0 \"{}\"", two, one);
    }
  }
}

bool all_have(Workers& workers, const std::string& own) {
  const std::vector<std::string> all = workers.comm().gather(own);
  return std::ranges::all_of(all, [&](const std::string& one) { return one == all[0]; });
}

}  // namespace

void check_agreement(Workers& workers, const Identity& own) {
  if (workers.size() == 1) return;
  workers.must_agree("the program", own.program);
  workers.must_agree("what is asked for", own.request);
  const std::vector<std::string> builds = workers.comm().gather(file_checksum("/proc/self/exe"));
  for (size_t i = 1; workers.leads() && i < builds.size(); ++i) {
    if (builds[i] == builds[0]) continue;
    warn("{} runs another build of {} than worker 0: make sure that both were built alike", workers.all()[i].name(),
         own.program);
  }
  workers.must_agree("the dataset", "one with the checksum " + own.dataset);
  if (all_have(workers, fmt::format("{:016x}", hash64(own.config)))) return;  // mostly so; many of them are long
  const std::vector<std::string> configs = workers.comm().gather(own.config);
  for (size_t i = 1; i < configs.size(); ++i) {
    std::string list;
    for (const auto& [key, first, other] : config_differences(configs[0], configs[i])) {
      if (key != "threads") list += fmt::format("\n  {} is {}, but {} with worker 0", key, other, first);
    }
    if (list.empty()) list = describe_other_line(configs[0], configs[i]);
    if (!list.empty()) fail("the configuration of {} differs:{}", workers.all()[i].name(), list);
  }
}

std::string verify_together(Workers& workers, const Dataset& dataset, const std::string& notes) {
  // Two hosts may have the same name, and containers of one host may have their own folders.
  const std::vector<std::string> places = workers.comm().gather(
      fmt::format("{} {}: {}", workers.self().host, network_identity(), fs::absolute(dataset.folder()).string()));
  const auto rank = static_cast<size_t>(workers.rank());
  Verification own;
  std::string trouble;
  workers.watchdog().report_phase(0, "verifying the dataset", true);
  if (std::ranges::find(places, places[rank]) == places.begin() + workers.rank()) {
    // Made before the reading: a file that changes meanwhile does not pass for verified.
    const std::string note = verified_note(dataset);
    try {
      if (is_noted(notes, note)) {
        debug("dataset {}: unchanged since this job verified it", dataset.folder().string());
      } else {
        own = verify(dataset);
      }
      tell_verified(note);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      trouble = error.what();
    }
  }
  const std::vector<std::string> troubles = workers.comm().gather(trouble);
  for (size_t i = 0; i < troubles.size(); ++i) {
    if (!troubles[i].empty()) fail("{}{}", workers.size() > 1 ? workers.all()[i].host + ": " : "", troubles[i]);
  }
  const double slowest = workers.comm().max(own.seconds);
  const double bytes = workers.comm().max(static_cast<double>(own.bytes));  // of a copy that was read
  workers.watchdog().report_phase(0, "start");
  const size_t copies = std::set(places.begin(), places.end()).size();
  if (bytes == 0) return "dataset unchanged since this job verified it";
  return fmt::format("dataset verified: {} in {}{}", human_bytes(static_cast<uint64_t>(bytes)), human_duration(slowest),
                     copies > 1 ? fmt::format(", the slowest of {} copies", copies) : "");
}

namespace {

std::string describe(const Buffer& weights) {
  const HostCopy copy(weights);
  const auto bytes = std::as_bytes(copy.values());
  return fmt::format("weights with the checksum {:016x}",
                     hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

}  // namespace

void agree_on_model(Workers& workers, int64_t step, const Buffer& weights) {
  if (workers.size() > 1) workers.must_agree("the model", fmt::format("step {}, {}", step, describe(weights)));
}

void check_weights(Workers& workers, const Buffer& weights, int64_t step) {
  if (workers.size() > 1) workers.must_agree(fmt::format("the model after step {}", step), describe(weights));
}

std::string describe(Workers& workers, const WorkersConfig& config, bool by_devices) {
  std::string hosts;
  for (const Worker& worker : workers.all()) {
    if (worker.local_rank == 0)
      hosts += fmt::format("{}{} on {}", hosts.empty() ? "" : ", ", worker.local_size, worker.host);
  }
  const char* wire = kWireNames[static_cast<size_t>(config.wire)];
  std::string how = by_devices ? fmt::format("as {} by NCCL", wire) : fmt::format("as {}", wire);
  if (!by_devices && workers.comm().layout().hosts() == 1) {
    how = "in the memory of their host, as fp32";
    if (config.wire != Wire::kFp32) how += fmt::format(" (workers.wire={} is for exchanges between hosts)", wire);
  }
  if (config.has_rounds()) {
    return fmt::format(
        "workers: {} ({}); each trains on its own, and changes of weights are exchanged every {} steps {}",
        workers.size(), hosts, config.sync_every, how);
  }
  return fmt::format("workers: {} ({}); gradients are exchanged {}{}", workers.size(), hosts, how,
                     config.shard_optimizer ? ", the optimiser is sharded over the workers" : "");
}

void warn_of_crowding(const Workers& workers, int threads) {
  std::map<std::string, std::vector<ThreadsOnCores>> hosts;
  for (const Worker& worker : workers.all()) hosts[worker.host].push_back({worker.rank, threads, worker.cores});
  for (const Worker& worker : workers.all()) {
    if (worker.local_rank != 0) continue;
    const CoresJudgement judgement = judge_cores(worker.host, worker.machine_cores, hosts[worker.host]);
    if (!judgement.enough) warn("{}; {}", judgement.text, judgement.advice);
  }
}

}  // namespace verbund
