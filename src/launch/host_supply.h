// SPDX-License-Identifier: Apache-2.0
// HostSupply brings the files of a job to its hosts, to several at once, and remembers which have them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "launch/copy_list.h"
#include "launch/reachable_hosts.h"
#include "launch/starter.h"

namespace verbund {

class HostSupply {
 public:
  // Without files, nothing is ever copied.
  HostSupply(const Starter& starter, std::vector<CopyFile> files, std::filesystem::path folder)
      : starter_(starter), files_(std::move(files)), folder_(std::move(folder)) {}

  // Hosts that answer and are not known to have the files get them; those that do not answer are forgotten. This
  // machine has them. One that cannot be supplied no longer counts as answering, and `said` tells why; the others are
  // supplied nevertheless. Returns the exit code for those: 0 if there are none, 3 if the connections were lost, which
  // may help another time, else 1.
  int supply(std::vector<HostAnswer>& answers, const StopSignals& signals);

  // The files of these hosts may be gone: they are asked again.
  void forget_all_but(const std::vector<Host>& hosts);

 private:
  const Starter& starter_;
  const std::vector<CopyFile> files_;
  const std::filesystem::path folder_;
  std::set<std::string> supplied_;
};

}  // namespace verbund
