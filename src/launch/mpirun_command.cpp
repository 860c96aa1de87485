// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace verbund {
namespace {

std::string host_argument(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", host.name, host.slots);
  return text;
}

}  // namespace

std::vector<std::string> mpirun_command(const MpirunSettings& mpirun, const JobSettings& job,
                                        const std::vector<Host>& hosts) {
  std::vector<std::string> command = {mpirun.program, "-n", std::to_string(total_slots(hosts)), "-H",
                                      host_argument(hosts)};
  const auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words.begin(), words.end());
  };
  const auto set = [&](const std::string& parameter, const std::string& value) {
    const std::vector<std::string>& own = mpirun.args;  // mpirun refuses a parameter with two values
    if (std::find(own.begin(), own.end(), parameter) == own.end()) add({"--mca", parameter, value});
  };

  if (mpirun.as_root) add({"--allow-run-as-root"});
  add({"--map-by", "slot"});   // worker 0 on the first host, and so on in the order of the list
  add({"--bind-to", "none"});  // a worker has many threads: they may use all cores
  add({"--tag-output"});       // tells which worker wrote a line; see mpirun_output.h
  if (!job.folder.empty()) add({"--wdir", job.folder});
  if (!job.interface.empty()) {
    set("btl_tcp_if_include", job.interface);  // the workers' data
    set("oob_tcp_if_include", job.interface);  // mpirun's daemons
  }
  if (!mpirun.rsh_agent.empty()) set("plm_rsh_agent", mpirun.rsh_agent);
  if (job.share_cores) set("mpi_yield_when_idle", "1");
  // The way in which workers of a host share memory. Where mpirun chooses, it tries another with a file in /dev/shm,
  // which stays if it is killed then.
  set("shmem", "mmap");
  // Keepalives: a host that is cut off is noticed after 25 s (10 s of silence, then 3 probes 5 s apart); by default
  // after 8 minutes.
  set("oob_tcp_keepalive_time", "10");
  set("oob_tcp_keepalive_intvl", "5");
  set("oob_tcp_keepalive_probes", "3");
  // When a worker has failed, mpirun waits so many seconds before it sends SIGTERM to the others on its host, and again
  // before SIGKILL, even if they have ended: a larger value makes each restart slower. The others notice the loss by
  // themselves within milliseconds.
  set("odls_base_sigkill_timeout", "1");
  for (const std::string& name : job.environment) add({"-x", name});
  for (std::string variable : own_variables(job)) {
    std::replace(variable.begin(), variable.end(), ';', ',');  // mpirun would parse the rest as another variable
    add({"-x", variable});
  }
  command.insert(command.end(), mpirun.args.begin(), mpirun.args.end());
  command.insert(command.end(), job.program.begin(), job.program.end());
  return command;
}

}  // namespace verbund
