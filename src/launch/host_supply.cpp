// SPDX-License-Identifier: Apache-2.0
#include "launch/host_supply.h"

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "core/progress.h"
#include "launch/copy_to_host.h"

namespace verbund {
namespace {

constexpr size_t kHostsAtOnce = 32;
constexpr std::chrono::milliseconds kBetweenLooks{20};

struct Supplied {
  HostAnswer* answer;
  CopyToHost copy;
};

uint64_t sum_of(const std::vector<std::unique_ptr<Supplied>>& group, uint64_t (CopyToHost::*bytes)() const) {
  uint64_t total = 0;
  for (const auto& item : group) total += (item->copy.*bytes)();
  return total;
}

// Calls `work`, a member of CopyToHost, until all have ended.
void until_all_end(const std::vector<std::unique_ptr<Supplied>>& group, bool (CopyToHost::*work)(),
                   const StopSignals& signals, const std::function<void()>& show) {
  for (bool running = true; running;) {
    signals.check();
    running = false;
    for (const auto& item : group) running |= (item->copy.*work)();
    show();
    if (running) std::this_thread::sleep_for(kBetweenLooks);
  }
}

void report(const std::vector<std::unique_ptr<Supplied>>& group) {
  for (const auto& item : group) {
    const CopyToHost& copy = item->copy;
    if (!copy.trouble().empty()) continue;
    if (copy.files_to_send() == 0) {
      log("copy: {} has the program and the dataset already", copy.host());
    } else {
      log("copy: {} to {}, {} file{}, verified", human_bytes(copy.to_send()), copy.host(), copy.files_to_send(),
          copy.files_to_send() == 1 ? "" : "s");
    }
  }
}

}  // namespace

int HostSupply::supply(std::vector<HostAnswer>& answers, const StopSignals& signals) {
  std::vector<HostAnswer*> lacking;
  for (HostAnswer& answer : answers) {
    if (!answer.answers) supplied_.erase(answer.host.name);  // it may come back with an empty disk
    const bool has = supplied_.contains(answer.host.name) || is_this_machine(answer.host.name);
    if (answer.answers && !has && !files_.empty()) lacking.push_back(&answer);
  }
  int exit_code = 0;
  for (size_t begin = 0; begin < lacking.size(); begin += kHostsAtOnce) {
    std::vector<std::unique_ptr<Supplied>> group;
    for (size_t i = begin; i < std::min(begin + kHostsAtOnce, lacking.size()); ++i) {
      group.push_back(std::unique_ptr<Supplied>(
          new Supplied{lacking[i], CopyToHost(starter_, lacking[i]->host.name, files_, folder_)}));
    }
    {
      Progress progress("copy", 0, "");
      until_all_end(group, &CopyToHost::ask, signals, [&] { progress.waiting("comparing checksums with the hosts"); });
    }
    Progress progress(fmt::format("copy to {} host{}", group.size(), group.size() == 1 ? "" : "s"),
                      sum_of(group, &CopyToHost::to_send), "bytes");
    until_all_end(group, &CopyToHost::send, signals, [&] { progress.update(sum_of(group, &CopyToHost::sent)); });
    clear_status();
    report(group);
    for (const auto& item : group) {
      const CopyToHost& copy = item->copy;
      if (copy.trouble().empty()) {
        supplied_.insert(copy.host());
        continue;
      }
      item->answer->answers = false;
      item->answer->said = copy.trouble();
      exit_code = copy.lost() && exit_code != 1 ? kExitLostWorker : 1;
    }
  }
  return exit_code;
}

void HostSupply::forget_all_but(const std::vector<Host>& hosts) {
  std::erase_if(supplied_, [&](const std::string& name) {
    return std::none_of(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == name; });
  });
}

}  // namespace verbund
