// SPDX-License-Identifier: Apache-2.0
// SrunStarter starts workers with Slurm's srun inside an allocation; MPI finds the others by means of Slurm's PMIx.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch/starter.h"

namespace verbund {

// The words before a command that shall run on a host of the allocation.
std::vector<std::string> srun_on_host(const std::string& host);
// The command that runs a shell script there. Unlike ssh, srun passes on words as they are.
std::vector<std::string> srun_shell_on_host(const std::string& host, const std::string& script);
constexpr const char* kAdviceForSilentNode = "Slurm knows why: sinfo -R, scontrol show node HOST";

class SrunStarter : public Starter {
 public:
  // `job`: SLURM_JOB_ID; `cores`: SLURM_CPUS_PER_TASK, which srun does not inherit, or "".
  SrunStarter(std::string job, std::string cores) : job_(std::move(job)), cores_(std::move(cores)) {}

  std::string name() const override { return "srun"; }
  std::vector<std::string> command(const JobSettings& job, const std::vector<Host>& hosts) const override;
  std::vector<std::string> on_host(const std::string& host) const override { return srun_on_host(host); }
  std::vector<std::string> shell_on_host(const std::string& host, const std::string& script) const override {
    return srun_shell_on_host(host, script);
  }
  bool keeps_streams_apart() const override { return true; }
  std::unique_ptr<WorkerLines> lines(WorkerLines::Sink sink) const override;
  std::unique_ptr<StarterNotices> notices(const std::vector<Host>& hosts) const override;
  void pass_on(int signal, const ChildProcess& program) const override;
  void end_leftovers() const override;
  std::string advice_for_silent_host() const override { return kAdviceForSilentNode; }
  std::string advice_if_missing() const override { return "is Slurm installed (Debian: slurm-client)?"; }

 private:
  std::string step_name() const;
  std::vector<std::string> own_steps() const;  // that run, as Slurm numbers them

  std::string job_;
  std::string cores_;
};

}  // namespace verbund
