// SPDX-License-Identifier: Apache-2.0
// RestartHosts chooses the hosts for a restart: the first in the list that answer, and before them the first host of
// the last start, if it answers. The list may have changed meanwhile.
#pragma once

#include <vector>

#include "launch/host_supply.h"
#include "launch/reachable_hosts.h"
#include "launch/supervisor.h"

namespace verbund {

class RestartHosts {
 public:
  RestartHosts(const LaunchSettings& settings, HostSupply& supply, const StopSignals& signals)
      : settings_(settings), supply_(supply), signals_(signals), probe_(*settings.starter), list_(settings.hosts) {}

  // `before`: the hosts of the last start. Waits some time for hosts if there are not enough slots for all workers.
  // An Error with exit code 3 if there are too few after that.
  std::vector<Host> choose(const std::vector<Host>& before);

 private:
  bool read_list();
  bool suffice(const std::vector<Host>& there) const;  // spare hosts count, too
  [[noreturn]] void fail_without(const std::string& missing, const std::vector<Host>& left) const;

  const LaunchSettings& settings_;
  HostSupply& supply_;
  const StopSignals& signals_;
  const HostProbe probe_;
  std::vector<Host> list_;  // as read last
  std::string trouble_;     // why it could not be read again
};

// -n, or as many as the hosts of the list have slots; not fewer than before, because a host that is lost may also be
// missing in the list for a while.
int wanted_workers(const LaunchSettings& settings, const std::vector<Host>& list, const std::vector<Host>& before);

}  // namespace verbund
