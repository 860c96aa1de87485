// SPDX-License-Identifier: Apache-2.0
// HostProbe finds out which hosts answer, by running `true` on each the way mpirun starts its daemons there.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launch/host_list.h"
#include "launch/stop_signals.h"

namespace verbund {

// True for a name or address of this machine, which need not be probed.
bool is_this_machine(const std::string& host);

// The words of the rsh agent's command; "": ssh. Refuses a blank one.
std::vector<std::string> rsh_command(const std::string& agent);

struct HostAnswer {
  Host host;
  bool answers = false;
  std::string said;  // why not: output of the rsh agent
};

class HostProbe {
 public:
  explicit HostProbe(const std::string& agent);

  // Probes all at once, each for at most `patience`.
  std::vector<HostAnswer> ask(const std::vector<Host>& hosts, std::chrono::seconds patience,
                              const StopSignals& signals) const;

 private:
  std::vector<std::string> agent_;
};

}  // namespace verbund
