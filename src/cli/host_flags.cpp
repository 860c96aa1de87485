// SPDX-License-Identifier: Apache-2.0
#include "cli/host_flags.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "collectives/mpi_transport.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "doctor/examine.h"
#include "launch/host_source.h"
#include "launch/mpirun_starter.h"
#include "launch/reachable_hosts.h"
#include "launch/slurm_starter.h"

namespace verbund {
namespace {

// Extra time beyond that in which workers have to meet, for mpirun itself and its daemons on other hosts.
constexpr int kSecondsForMpirun = 15;
std::chrono::seconds patience() { return std::chrono::seconds(start_seconds() + kSecondsForMpirun); }

// This program as a doctor that prints its facts for this process.
std::vector<std::string> doctor_program(const Training& training) {
  std::vector<std::string> program = {fs::read_symlink("/proc/self/exe"), "doctor", "--facts"};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) program.push_back(fmt::format("{}={}", flag, value));
  };
  add("--config", training.config_file);
  for (const std::string& value : training.overrides) add("--set", value);
  add("--data", training.data);
  add("--run", training.run);
  return program;
}

}  // namespace

void HostFlags::declare(Options& options) {
  options.add_option("-n,--workers", workers, "Number of workers (default: all slots of the hosts)")
      ->type_name("N")
      ->check(between(1, kMaxSlots));
  Option* const hosts_option = options.add_option(
      "-H,--hosts", list, "Hosts with their slots, the number of workers on each (default: this machine)");
  hosts_option->type_name("A:N,B:N");
  Option* const file_option = options.add_option("--hostfile", file, "File with the hosts, one a line: HOST slots=N");
  file_option->type_name("FILE")->excludes(hosts_option);
  Option* const from_option =
      options.add_option("--hosts-from", from,
                         "The same lines in a file, or printed by a command; launch reads them again at each restart");
  from_option->type_name("FILE|COMMAND")->excludes(hosts_option)->excludes(file_option);
  options.add_flag("--slurm", slurm, "The hosts and tasks of the Slurm job around this command (sbatch, salloc)")
      ->excludes(hosts_option)
      ->excludes(file_option)
      ->excludes(from_option);
  options
      .add_option("--starter", starter_name,
                  "With --slurm: srun or mpirun starts the workers (default auto: decided by a short trial)")
      ->type_name("NAME")
      ->check(one_of({"auto", "srun", "mpirun"}));
  options.add_option("--nic", job.interface, "Network interface to train over, or a network: 10.0.0.0/24")
      ->type_name("IF");
  options.add_option("--rsh", mpirun.rsh_agent, "Command that runs another one on a host (default: ssh)")
      ->type_name("AGENT");
}

std::vector<Host> HostFlags::hosts() const {
  if (slurm) return hosts_of_slurm();
  if (starter_name == "srun") fail_usage("--starter srun needs --slurm: srun starts workers inside an allocation");
  if (list.empty() && file.empty() && from.empty()) return {{"localhost", std::max(1, workers)}};
  std::vector<Host> all = !from.empty()  ? HostSource(from).read(check_interrupt)
                          : file.empty() ? parse_host_list(list)
                                         : parse_host_file(read_file(file), file);
  if (workers > total_slots(all)) {
    fail_usage("-n {} is more than the {} slots of the hosts: {}.\nGive a host more slots, as in -H a:{}", workers,
               total_slots(all), describe_hosts(all), workers);
  }
  return all;
}

std::vector<Host> HostFlags::hosts_of_slurm() const {
  const SlurmAllocation allocation = current_allocation();
  const int slots = total_slots(allocation.hosts);
  if (workers > slots) {
    fail_usage("-n {} is more than the {} tasks of Slurm's job {}: {}.\nAsk for more: sbatch --ntasks-per-node",
               workers, slots, allocation.job, describe_hosts(allocation.hosts));
  }
  for (const Host& host : allocation.hosts) {
    if (allocation.gpus == 0 || host.slots <= allocation.gpus) continue;
    warn("{} has {} workers for {} GPUs: ask Slurm for one task per GPU", host.name, host.slots, allocation.gpus);
  }
  return allocation.hosts;
}

void HostFlags::complete_job(const std::vector<Host>& used) {
  check_interfaces(job.interface);
  start_seconds();  // every worker would refuse a wrong one
  job.environment = passed_variables(environ);
  job.folder = fs::current_path();
  mpirun.as_root = ::geteuid() == 0;
  job.share_cores = std::any_of(used.begin(), used.end(), is_crowded);
}

std::unique_ptr<Starter> HostFlags::starter() const {
  if (!slurm) return std::make_unique<MpirunStarter>(mpirun);
  const SlurmAllocation allocation = current_allocation();
  if (starter_name == "srun") return srun_starter(allocation);
  if (starter_name == "mpirun") return mpirun_in_slurm(mpirun);
  if (!mpirun.args.empty()) {
    log("starting the workers with mpirun, because --mpirun-args is given");
    return mpirun_in_slurm(mpirun);
  }
  const std::string why_not = trial_of_srun(allocation, job, {fs::read_symlink("/proc/self/exe"), "launch", "--meet"});
  if (why_not.empty()) {
    log("starting the workers with srun --mpi=pmix, which connected a process on each host");
    return srun_starter(allocation);
  }
  log("starting the workers with mpirun: {}", why_not);
  return mpirun_in_slurm(mpirun);
}

bool is_crowded(const Host& host) {
  return host.slots > static_cast<int>(std::thread::hardware_concurrency()) && is_this_machine(host.name);
}

Facts examine_from_outside(HostFlags& flags, const std::vector<Host>& hosts, const Training& training) {
  flags.job.program = doctor_program(training);
  flags.complete_job(hosts);
  return examine_hosts(*flags.starter(), flags.job, hosts, patience());
}

}  // namespace verbund
