// SPDX-License-Identifier: Apache-2.0
#include "launch/slurm_starter.h"

#include <fmt/format.h>

#include <sstream>

#include "core/child_process.h"
#include "launch/mpirun_starter.h"
#include "launch/srun_starter.h"

namespace verbund {
namespace {

constexpr std::chrono::seconds kPatienceWithTrial{60};
constexpr std::chrono::seconds kPatienceWithList{10};

class MpirunInSlurm : public MpirunStarter {
 public:
  using MpirunStarter::MpirunStarter;
  std::vector<std::string> on_host(const std::string& host) const override { return srun_on_host(host); }
  std::vector<std::string> shell_on_host(const std::string& host, const std::string& script) const override {
    return srun_shell_on_host(host, script);
  }
  std::string advice_for_silent_host() const override { return kAdviceForSilentNode; }
};

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

std::string line_of_meeting(int workers) { return describe_workers(workers) + " have met"; }

std::string trial_of_srun(const SlurmAllocation& allocation, const JobSettings& job,
                          const std::vector<std::string>& program) {
  const CommandEnd list = run_command({"srun", "--mpi=list"}, kPatienceWithList);
  if (list.output.find("pmix") == std::string::npos) {
    return fmt::format("srun has no plugin for PMIx: {}", last_line(list.output));
  }
  JobSettings trial = job;
  trial.program = program;
  std::vector<Host> hosts = allocation.hosts;
  for (Host& host : hosts) host.slots = 1;
  const std::unique_ptr<Starter> srun = srun_starter(allocation);
  const CommandEnd end = run_command(srun->command(trial, hosts), kPatienceWithTrial);
  const bool met = end.output.find(line_of_meeting(static_cast<int>(hosts.size()))) != std::string::npos;
  if (end.exit_code == 0 && met) return "";
  srun->end_leftovers();
  return fmt::format("a trial with srun --mpi=pmix ended with code {}: {}", end.exit_code, last_line(end.output));
}

std::unique_ptr<Starter> srun_starter(const SlurmAllocation& allocation) {
  return std::make_unique<SrunStarter>(allocation.job, allocation.cores);
}

std::unique_ptr<Starter> mpirun_in_slurm(const MpirunSettings& settings) {
  return std::make_unique<MpirunInSlurm>(settings);
}

}  // namespace verbund
