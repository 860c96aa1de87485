// verbund launch: trains with several workers, on this machine or on many.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "cli/command.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/log.h"
#include "launch/network_interface.h"
#include "launch/reachable_hosts.h"
#include "launch/supervisor.h"

namespace verbund {
namespace {

// The commands whose processes work as one; others would do the same work several times over.
const std::vector<std::string> kCommandsForWorkers = {"train", "doctor"};

// What the workers run: this program, under the same path on every host. Tests put another one in its place.
std::vector<std::string> worker_program(const Arguments& command) {
  std::vector<std::string> program = command;
  if (const char* other = std::getenv("VERBUND_LAUNCH_PROGRAM")) {
    program.insert(program.begin(), other);
    return program;
  }
  if (command.empty()) {
    fail_usage(
        "what shall the workers do? Write it behind --, as in: verbund launch -n 2 -- train --data ...\n"
        "See: verbund launch --help");
  }
  if (std::find(kCommandsForWorkers.begin(), kCommandsForWorkers.end(), command[0]) == kCommandsForWorkers.end()) {
    const std::string guess = nearest(command[0], kCommandsForWorkers);
    fail_usage("\"{}\" is not work for several workers{}", command[0],
               guess.empty() ? ": launch is for train" : fmt::format(": did you mean {}?", guess));
  }
  program.insert(program.begin(), fs::read_symlink("/proc/self/exe"));
  return program;
}

std::vector<Host> read_hosts(const std::string& list, const std::string& file, int workers) {
  if (!list.empty()) return parse_host_list(list);
  if (!file.empty()) return parse_host_file(read_file(file), file);
  if (workers == 0) fail_usage("how many workers? Say -n 2, or -H a:2,b:2\nSee: verbund launch --help");
  return {{"localhost", workers}};
}

// Warns if this machine has fewer cores than workers, and tells so.
bool workers_share_cores(const std::vector<Host>& hosts) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  bool share = false;
  for (const Host& host : hosts) {
    if (host.slots <= cores || !is_this_machine(host.name)) continue;
    warn("{} workers on {}, which has {} cores: more workers than cores are slower, not faster", host.slots, host.name,
         cores);
    share = true;
  }
  return share;
}

}  // namespace

void run_launch(const Arguments& arguments) {
  Options options(
      "launch",
      "Runs the command behind -- with several workers that train as one, by means of mpirun. The first host's first\n"
      "worker reads and writes the run folder. Ctrl-C has all workers save and leave. When a worker or a\n"
      "host is lost, the job goes on from its newest checkpoint, as often as --max-restarts allows.",
      "  verbund launch -n 2 -- train --config configs/demo.yaml --data data/demo --run runs/demo\n"
      "  verbund launch -H a:2,b:2 --nic eth1 --max-restarts 10 --min-workers 2 -- train ...\n"
      "  verbund launch -H a:2,b:2 --dry-run -- train ...\n");
  LaunchSettings settings;
  std::string host_list, host_file;
  std::vector<std::string> mpirun_args;
  int workers = 0, min_workers = 0, wait = static_cast<int>(settings.wait_for_hosts.count());
  bool dry_run = false;
  const auto count = [&](const std::string& name, int& value, const std::string& about, const CLI::Validator& range) {
    return options.add_option(name, value, about)->type_name("N")->check(range);
  };
  count("-n,--workers", workers, "Number of workers (all that the hosts take)", CLI::PositiveNumber);
  CLI::Option* const list =
      options.add_option("-H,--hosts", host_list, "Hosts, and how many workers each takes (this machine)");
  list->type_name("A:N,B:N");
  options.add_option("--hostfile", host_file, "The same in a file, a host per line: HOST slots=N")
      ->type_name("FILE")
      ->excludes(list);
  options.add_option("--nic", settings.job.interface, "Network interface to train over, or a network: 10.0.0.0/24")
      ->type_name("IF");
  options.add_option("--rsh", settings.job.rsh_agent, "Command that runs another one on a host (ssh)")
      ->type_name("AGENT");
  count("--max-restarts", settings.max_restarts, "How often to start again after a loss", CLI::NonNegativeNumber)
      ->capture_default_str();
  count("--min-workers", min_workers, "Leave out a host that does not come back if so many remain (all)",
        CLI::PositiveNumber);
  count("--wait-for-hosts", wait, "Seconds that it has to come back", CLI::NonNegativeNumber)->capture_default_str();
  options.add_list("--mpirun-args", mpirun_args, "More for mpirun: --mpirun-args=\"--mca NAME VALUE\" (repeatable)",
                   "ARGS");
  options.add_flag("--dry-run", dry_run, "Only print the command");

  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (!options.read(Arguments(arguments.begin(), end))) return;

  settings.job.program = worker_program(Arguments(end == arguments.end() ? end : end + 1, arguments.end()));
  settings.hosts = read_hosts(host_list, host_file, workers);
  const int slots = total_slots(settings.hosts);
  settings.workers = workers == 0 ? slots : workers;
  if (settings.workers > slots) {
    fail_usage("-n {} asks for more workers than the hosts take, which is {}: {}.\nGive a host more, as in -H a:{}",
               settings.workers, slots, describe_hosts(settings.hosts), settings.workers);
  }
  settings.min_workers = min_workers == 0 ? settings.workers : min_workers;
  if (settings.min_workers > settings.workers) {
    fail_usage("--min-workers {} is more than all {} workers", settings.min_workers, settings.workers);
  }
  settings.wait_for_hosts = std::chrono::seconds(wait);
  check_interfaces(settings.job.interface);
  for (const std::string& args : mpirun_args) {
    for (const std::string& word : split_words(args)) settings.job.mpirun_args.push_back(word);
  }
  settings.job.environment = passed_variables(environ);
  settings.job.folder = fs::current_path();
  settings.job.as_root = ::geteuid() == 0;
  const std::vector<Host> used = used_hosts(settings.hosts, settings.workers);
  settings.job.share_cores = workers_share_cores(used);

  if (dry_run) {
    std::cout << shell_line(mpirun_command(settings.job, used)) << "\n";
  } else {
    supervise(settings);
  }
}

}  // namespace verbund
