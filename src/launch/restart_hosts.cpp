// SPDX-License-Identifier: Apache-2.0
#include "launch/restart_hosts.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kMaxPatience{10};
constexpr seconds kBetweenProbes{1};

// "c (2)": those of `now` that `before` does not have.
std::string describe_new(const std::vector<Host>& now, const std::vector<Host>& before) {
  std::vector<Host> joined;
  for (const Host& host : now) {
    const auto same = [&](const Host& other) { return other.name == host.name; };
    if (std::none_of(before.begin(), before.end(), same)) joined.push_back(host);
  }
  return describe_hosts(joined);
}

// Worker 0 stays where it was: the run folder may be on that host alone.
void put_first(const std::string& name, std::vector<Host>& hosts) {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == name; });
  if (found != hosts.end()) std::rotate(hosts.begin(), found, found + 1);
}

// The first sentence of a message: what is wrong, without the advice after it.
std::string first_sentence(const std::string& message) {
  const size_t end = std::min(message.find(". "), message.find(".\n"));
  return message.substr(0, end);
}

}  // namespace

int wanted_workers(const LaunchSettings& settings, const std::vector<Host>& list, const std::vector<Host>& before) {
  if (settings.fixed_workers) return settings.workers;
  return std::max(total_slots(list), total_slots(before));
}

std::vector<Host> RestartHosts::choose(const std::vector<Host>& before) {
  const Clock::time_point end = Clock::now() + settings_.wait_for_hosts;
  const seconds patience = std::clamp(settings_.wait_for_hosts, seconds(1), kMaxPatience);
  for (bool said = false;; said = true) {
    const bool is_known = read_list();
    put_first(before.front().name, list_);
    const int wanted = wanted_workers(settings_, list_, before);
    std::vector<HostAnswer> answers = probe_.ask(list_, patience, signals_, wanted);
    supply_.supply(answers, signals_);
    const std::vector<Host> there = answering(answers);
    std::vector<Host> hosts = used_hosts(there, wanted);
    const int slots = total_slots(hosts);
    debug("restart: {} of {} hosts answer, with {} of {} slots", hosts.size(), list_.size(), slots, wanted);
    const bool has_time = Clock::now() + kBetweenProbes < end;
    std::string missing = describe_silent(answers);
    if (missing.empty()) missing = "a host that is no longer in the list";
    if ((slots < wanted || !suffice(there) || !is_known) && has_time) {
      if (!said) {
        log("{}waiting up to {} s for {}", is_known ? "" : trouble_ + ": ", settings_.wait_for_hosts.count(),
            is_known ? missing : "a list of hosts");
      }
      pause_for(kBetweenProbes, signals_);
      continue;
    }
    if (!is_known) warn("{}: using its previous list of hosts", trouble_);
    if (!suffice(there)) fail_without(missing, there);
    if (slots < wanted) {
      warn("continuing with {} of {} workers, without {}. Hosts that are back take part after the next restart", slots,
           wanted, missing);
    }
    if (const std::string joined = describe_new(hosts, before); !joined.empty()) log("hosts that join: {}", joined);
    return hosts;
  }
}

// False if the list cannot be read now: then it is the one read last.
bool RestartHosts::read_list() {
  if (!settings_.source) return true;
  try {
    list_ = settings_.source->read([&] { signals_.check(); });
    return true;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    trouble_ = first_sentence(error.what());
    debug("restart: {}", trouble_);
    return false;
  }
}

bool RestartHosts::suffice(const std::vector<Host>& there) const {
  return total_slots(there) >= settings_.min_workers && static_cast<int>(there.size()) >= settings_.min_hosts;
}

void RestartHosts::fail_without(const std::string& missing, const std::vector<Host>& left) const {
  const bool few_workers = total_slots(left) < settings_.min_workers;
  const std::string rule = few_workers ? fmt::format("{} left, and --min-workers asks for {}",
                                                     describe_workers(total_slots(left)), settings_.min_workers)
                                       : fmt::format("{} host{} left, and --min-hosts asks for {}", left.size(),
                                                     left.size() == 1 ? "" : "s", settings_.min_hosts);
  throw Error(fmt::format("cannot continue without {}: {}.\nThe same command resumes from the newest checkpoint",
                          missing, rule),
              kExitLostWorker);
}

}  // namespace verbund
