// SPDX-License-Identifier: Apache-2.0
// HostProbe finds out which hosts answer, by running `true` on each the way the starter reaches it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launch/starter.h"
#include "launch/stop_signals.h"

namespace verbund {

// True for a name or address of this machine, which need not be probed.
bool is_this_machine(const std::string& host);

struct HostAnswer {
  Host host;
  bool answers = false;
  std::string said;  // why not: output of the command
};

class HostProbe {
 public:
  explicit HostProbe(const Starter& starter) : starter_(starter) {}

  // Probes all at once, each for at most `patience`.
  std::vector<HostAnswer> ask(const std::vector<Host>& hosts, std::chrono::seconds patience,
                              const StopSignals& signals) const;

 private:
  const Starter& starter_;
};

}  // namespace verbund
