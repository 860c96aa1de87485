// SPDX-License-Identifier: Apache-2.0
// HostProbe finds out which hosts answer, by running `true` on each the way the starter reaches it.
#pragma once

#include <chrono>
#include <limits>
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

std::vector<Host> answering(const std::vector<HostAnswer>& answers);
// "b (ssh: connect to host b port 22: No route to host)"; "" if all answer.
std::string describe_silent(const std::vector<HostAnswer>& answers);

class HostProbe {
 public:
  explicit HostProbe(const Starter& starter) : starter_(starter) {}

  // Probes all at once, for at most `patience`. Once the first host is known to answer or not, and hosts with `enough`
  // slots have answered, the others have one more second: a spare host takes the place of one that is cut off without a
  // long wait. The first one has its time, because the run folder may be on it alone.
  std::vector<HostAnswer> ask(const std::vector<Host>& hosts, std::chrono::seconds patience, const StopSignals& signals,
                              int enough = std::numeric_limits<int>::max()) const;

 private:
  const Starter& starter_;
};

}  // namespace verbund
