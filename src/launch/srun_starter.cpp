// SPDX-License-Identifier: Apache-2.0
#include "launch/srun_starter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <thread>

#include "core/child_process.h"
#include "core/log.h"
#include "launch/srun_output.h"

namespace verbund {
namespace {

constexpr std::chrono::seconds kPatienceWithSlurm{10};  // with Slurm's commands

}  // namespace

std::vector<std::string> srun_on_host(const std::string& host) {
  // Without --overlap, it would wait for the steps that run.
  return {"srun", "--overlap", "--nodes=1", "--ntasks=1", "--quiet", "--nodelist=" + host};
}

std::vector<std::string> srun_shell_on_host(const std::string& host, const std::string& script) {
  std::vector<std::string> words = srun_on_host(host);
  words.insert(words.end(), {"sh", "-c", script});
  return words;
}

std::vector<std::string> SrunStarter::command(const JobSettings& job, const std::vector<Host>& hosts) const {
  // srun hands its environment on. What sbatch was told about tasks does not hold for this step.
  std::vector<std::string> command = {"env", "-u", "SLURM_NTASKS_PER_NODE", "-u", "SLURM_DISTRIBUTION"};
  const auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words.begin(), words.end());
  };
  for (const std::string& variable : own_variables(job)) add({variable});
  if (!job.interface.empty()) add({"OMPI_MCA_btl_tcp_if_include=" + job.interface});
  if (job.share_cores) add({"OMPI_MCA_mpi_yield_when_idle=1"});
  add({"OMPI_MCA_shmem=mmap"});  // see mpirun_command.cpp

  std::string places;  // a host per worker: the order of ranks
  for (const Host& host : hosts) {
    for (int i = 0; i < host.slots; ++i) places += (places.empty() ? "" : ",") + host.name;
  }
  add({"srun", "--mpi=pmix", "--job-name=" + step_name(), fmt::format("--nodes={}", hosts.size()),
       fmt::format("--ntasks={}", total_slots(hosts)), "--distribution=arbitrary", "--nodelist=" + places});
  if (!cores_.empty()) add({"--cpus-per-task=" + cores_});
  add({"--overlap"});             // start, even if an interactive shell of the job holds the cores
  add({"--cpu-bind=none"});       // a worker has many threads: they may use all cores of the job
  add({"--kill-on-bad-exit=0"});  // the others report the loss, and end by themselves
  add({"--label"});               // tells which worker wrote a line; see srun_output.h
  if (!job.folder.empty()) add({"--chdir=" + job.folder});
  command.insert(command.end(), job.program.begin(), job.program.end());
  return command;
}

std::unique_ptr<WorkerLines> SrunStarter::lines(WorkerLines::Sink sink) const {
  return std::make_unique<LabelledOutput>(std::move(sink));
}

std::unique_ptr<StarterNotices> SrunStarter::notices(const std::vector<Host>& hosts) const {
  return std::make_unique<SrunNotices>(hosts);
}

std::string SrunStarter::step_name() const { return fmt::format("verbund-{}-{}", job_, ::getpid()); }

// For a task of a job array, Slurm may list the steps of all tasks.
std::vector<std::string> SrunStarter::own_steps() const {
  std::istringstream lines(
      run_command({"squeue", "--noheader", "--steps", "--jobs=" + job_, "--format=%i %j"}, kPatienceWithSlurm).output);
  std::vector<std::string> steps;
  for (std::string step, name; lines >> step >> name;) {
    if (name == step_name()) steps.push_back(step);
  }
  return steps;
}

// srun forwards SIGUSR1 and SIGUSR2, and keeps SIGALRM for itself: Slurm sends that one.
void SrunStarter::pass_on(int signal, const ChildProcess& program) const {
  if (signal != SIGHUP) return Starter::pass_on(signal, program);
  bool sent = false;
  for (const std::string& step : own_steps()) {
    const std::string name = ::sigabbrev_np(passed_on_as(signal));
    sent |= run_command({"scancel", "--signal=" + name, step}, kPatienceWithSlurm).exit_code == 0;
  }
  if (!sent) Starter::pass_on(SIGTERM, program);  // rather under another name than not at all
}

// The step of a killed srun goes on, and would keep the run folder locked.
void SrunStarter::end_leftovers() const {
  const auto end = std::chrono::steady_clock::now() + kPatienceWithSlurm;
  for (bool left = true; left && std::chrono::steady_clock::now() < end;) {
    left = false;
    for (const std::string& step : own_steps()) {
      left = true;
      debug("slurm: ending step {}", step);
      run_command({"scancel", "--signal=KILL", step}, kPatienceWithSlurm);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }
}

}  // namespace verbund
