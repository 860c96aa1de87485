// Which hosts answer, found by running `true` on each the way mpirun starts its daemons there.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launch/host_list.h"
#include "launch/stop_signals.h"

namespace verbund {

// A name or address of this machine: nobody has to be asked.
bool is_this_machine(const std::string& host);

// The words of the command that takes a host and what to run there; "": ssh. Refuses a blank one.
std::vector<std::string> rsh_command(const std::string& agent);

struct HostAnswer {
  Host host;
  bool answers = false;
  std::string said;  // why not: what the rsh agent said
};

class HostProbe {
 public:
  explicit HostProbe(const std::string& agent);

  // Asks all at once; one that has not answered after `patience` does not answer.
  std::vector<HostAnswer> ask(const std::vector<Host>& hosts, std::chrono::seconds patience,
                              const StopSignals& signals) const;

 private:
  std::vector<std::string> agent_;
};

}  // namespace verbund
