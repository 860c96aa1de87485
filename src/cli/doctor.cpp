// verbund doctor: can these hosts train together?
#include <unistd.h>

#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/examination.h"
#include "cli/host_flags.h"
#include "cli/version_text.h"
#include "collectives/mpi_transport.h"
#include "core/error.h"
#include "core/terminal.h"
#include "doctor/examine.h"
#include "doctor/judge.h"
#include "doctor/report.h"
#include "launch/reachable_hosts.h"

namespace verbund {
namespace {

bool is_just_this_process(const std::vector<Host>& hosts) {
  return total_slots(hosts) == 1 && is_this_machine(hosts.front().name);
}

void say(const std::string& line) { std::cout << line << "\n" << std::flush; }

// As one of the workers. Only worker 0 returns facts.
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
  Options options(
      "doctor",
      "Looks whether hosts can train together: do they answer, do they have the same program, dataset and "
      "configuration,\n"
      "enough cores, memory and disk, clocks that agree, and what does the network between them carry? Without hosts, "
      "it\n"
      "looks at this machine. Started by mpirun or Slurm, it looks at the hosts of that job. Exit code 1: there is a "
      "problem.",
      "  verbund doctor\n"
      "  verbund doctor -H a:2,b:2 --nic eth1 --config demo --data data/demo --run runs/demo\n"
      "  mpirun -n 4 -H a:2,b:2 --bind-to none verbund doctor --data data/demo\n");
  HostFlags flags;
  Training training;
  bool json = false, hand_over = false;
  flags.declare(options);
  options.add_option("--data", training.data, "The dataset folder that is to be trained on")->type_name("FOLDER");
  options.add_option("--config", training.config_file, "The configuration to train with: a file or preset")
      ->type_name("FILE");
  options.add_list("--set", training.overrides, "Override a value of it: section.key=value (repeatable)", "KEY=VALUE");
  options.add_option("--run", training.run, "The run folder that is to be written")->type_name("FOLDER");
  options.add_flag("--json", json, "Print all findings and facts as JSON");
  options.add_flag("--facts", hand_over, "")->hidden();  // between doctor and the workers it starts
  if (!options.read(arguments)) return;
  training.program = program_version();

  std::optional<Facts> facts;
  if (started_by_mpi()) {
    if (flags.given()) fail_usage("under mpirun, the hosts are those of mpirun: leave out -n, -H and --hostfile");
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
  // mpirun gives its workers a terminal of its own, wherever their output goes in the end.
  const bool colour = !started_by_mpi() && terminal_at(STDOUT_FILENO).colour;
  std::cout << (json ? findings_json(findings, *facts) : findings_table(findings, colour));
  if (worst_of(findings) == Health::kProblem) fail("{}", conclusion(findings));
  if (!json) std::cout << "\n" << conclusion(findings) << "\n";
}

}  // namespace verbund
