// SPDX-License-Identifier: Apache-2.0
// verbund doctor checks whether hosts can train together.
#include <unistd.h>

#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/host_flags.h"
#include "collectives/mpi_transport.h"
#include "core/error.h"
#include "core/output.h"
#include "core/terminal.h"
#include "doctor/examine.h"
#include "doctor/judge.h"
#include "launch/reachable_hosts.h"
#include "launch/slurm_allocation.h"

namespace verbund {
namespace {

bool is_just_this_process(const std::vector<Host>& hosts) {
  return total_slots(hosts) == 1 && is_this_machine(hosts.front().name);
}

void say(const std::string& line) { std::cout << line << "\n" << std::flush; }

// Examines as one of the workers. Only worker 0 returns facts.
std::optional<Facts> examine_from_inside(const Training& training, bool hand_over) {
  std::optional<Facts> facts;
  with_workers([&](Workers& workers) {
    if (hand_over && workers.leads()) say(kTogether);
    Facts all = examine(workers, training);
    if (workers.leads()) facts = std::move(all);
  });
  return facts;
}

}  // namespace

void run_doctor(const Arguments& arguments) {
  Options options("doctor",
                  "Checks whether hosts can train together: whether they answer, have the same program, dataset and "
                  "configuration, enough cores, memory and disk, and synchronous clocks. Measures the network between "
                  "them. Without hosts, it checks this machine. Started by mpirun or Slurm, it checks the hosts of "
                  "that job. Exit code 1: there is a problem.",
                  "  verbund doctor\n"
                  "  verbund doctor -H a:2,b:2 --nic eth1 --config demo --data data/demo --run runs/demo\n"
                  "  verbund doctor --slurm --data data/demo (in a job of Slurm)\n"
                  "  mpirun -n 4 -H a:2,b:2 --bind-to none verbund doctor --data data/demo\n");
  HostFlags flags;
  Training training;
  bool json = false, hand_over = false;
  flags.declare(options);
  options.add_option("--data", training.data, "The dataset folder to train on")->type_name("FOLDER");
  options.add_option("--config", training.config_file, "The configuration to train with: a file or preset")
      ->type_name("FILE");
  options.add_list("--set", training.overrides, "Override a value of it: section.key=value (repeatable)", "KEY=VALUE");
  options.add_option("--run", training.run, "The run folder to write")->type_name("FOLDER");
  options.add_flag("--json", json, "Print all findings and facts as JSON");
  options.add_flag("--facts", hand_over, "")->hidden();  // for the workers that doctor starts
  if (!options.read(arguments)) return;
  training.program = program_version();

  refuse_tasks_without_pmix(environment_variable);
  std::optional<Facts> facts;
  if (started_by_mpi()) {
    if (flags.given())
      fail_usage("under mpirun or srun, the hosts are those of the job: remove -n, -H, --hostfile and --slurm");
    facts = examine_from_inside(training, hand_over);
  } else {
    std::vector<Host> hosts = flags.hosts();
    if (flags.workers > 0) hosts = used_hosts(hosts, flags.workers);
    facts = is_just_this_process(hosts) ? examine_from_inside(training, hand_over)
                                        : examine_from_outside(flags, hosts, training);
  }
  if (!facts) return;
  if (hand_over) return say(line_of_facts(*facts));
  const Findings findings = judge_facts(*facts);
  // Workers of mpirun see a pseudo terminal, whatever the destination of their output.
  const bool to_terminal = !started_by_mpi() && ::isatty(STDOUT_FILENO) == 1;
  const bool colour = to_terminal && terminal_at(STDOUT_FILENO).colour;
  std::cout << (json          ? findings_json(findings, *facts)
                : to_terminal ? findings_table(findings, colour, output_columns())
                              : findings_table(findings));
  if (worst_of(findings) == Health::kProblem) fail("{}", conclusion(findings));
  if (!json) std::cout << "\n" << conclusion(findings) << "\n";
}

}  // namespace verbund
