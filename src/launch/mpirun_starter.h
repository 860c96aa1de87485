// SPDX-License-Identifier: Apache-2.0
// MpirunStarter starts workers with Open MPI's mpirun, which reaches other hosts with ssh or another rsh agent.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/mpirun_command.h"
#include "launch/starter.h"

namespace verbund {

class MpirunStarter : public Starter {
 public:
  // Refuses a blank rsh agent.
  explicit MpirunStarter(MpirunSettings settings);

  std::string name() const override { return settings_.program; }
  std::vector<std::string> command(const JobSettings& job, const std::vector<Host>& hosts) const override;
  std::vector<std::string> on_host(const std::string& host) const override;
  std::unique_ptr<WorkerLines> lines(WorkerLines::Sink sink) const override;
  std::unique_ptr<StarterNotices> notices(const std::vector<Host>& hosts) const override;
  std::string advice_for_silent_host() const override;
  std::string advice_if_missing() const override;

 private:
  MpirunSettings settings_;
  std::vector<std::string> agent_;  // the words of the rsh agent
};

}  // namespace verbund
