// SPDX-License-Identifier: Apache-2.0
// verbund launch: trains with several workers, on this machine or on many.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "cli/command.h"
#include "cli/host_flags.h"
#include "cli/mpijob_flags.h"
#include "collectives/workers.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "launch/slurm_starter.h"
#include "launch/supervisor.h"
#include "train/fine_tune.h"

namespace verbund {
namespace {

// The commands whose processes work as one; the processes of others would repeat the same work.
const std::vector<std::string> kCommandsForWorkers = {"train", "doctor"};

constexpr int kNotGiven = -1;
constexpr std::chrono::seconds kBetweenReads{1};

// The workers' program: this one, under the same path on every host. Tests replace it.
std::vector<std::string> worker_program(const Arguments& command) {
  std::vector<std::string> program = command;
  if (const char* other = std::getenv("VERBUND_LAUNCH_PROGRAM")) {
    program.insert(program.begin(), other);
    return program;
  }
  if (command.empty()) {
    fail_usage(
        "there is no command for the workers. Write it after --, as in: verbund launch -n 2 -- train --data ...\n"
        "See: verbund launch --help");
  }
  if (std::find(kCommandsForWorkers.begin(), kCommandsForWorkers.end(), command[0]) == kCommandsForWorkers.end()) {
    const std::string guess = nearest(command[0], kCommandsForWorkers);
    fail_usage("launch starts train and doctor, not \"{}\"{}", command[0],
               guess.empty() ? ". evaluate and translate share their work under mpirun: see their --help"
                             : fmt::format(": did you mean {}?", guess));
  }
  program.insert(program.begin(), fs::read_symlink("/proc/self/exe"));
  return program;
}

// With --hosts-from: reads the list until it is long enough for the limits, or until --wait-at-start is over.
std::vector<Host> hosts_at_start(const HostFlags& flags, const LaunchSettings& settings, int min_workers) {
  const auto end = settings.begun + settings.wait_at_start;
  for (bool said = false;; said = true) {
    const bool is_last = flags.from.empty() || std::chrono::steady_clock::now() + kBetweenReads >= end;
    std::string trouble;
    try {
      std::vector<Host> hosts = flags.hosts();
      const bool enough = total_slots(hosts) >= min_workers && static_cast<int>(hosts.size()) >= settings.min_hosts;
      if (is_last || enough) return hosts;
      trouble = fmt::format("--hosts-from names only {}", describe_hosts(hosts));
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      if (is_last) throw;
      trouble = error.what();
    }
    if (!said) {
      log("waiting up to {} s for hosts: {}", settings.wait_at_start.count(), trouble.substr(0, trouble.find('\n')));
    }
    check_interrupt();
    std::this_thread::sleep_for(kBetweenReads);
  }
}

// The dataset that train --finetune draws from beside those of --data, if there is one: the workers learn of it from
// the record of a run.
std::vector<fs::path> replayed_datasets(const std::vector<std::string>& command) {
  const auto last = [&](const char* name) {
    const std::vector<std::string> values = values_of(command, name);
    return values.empty() ? "" : values.back();
  };
  const std::vector<std::string> data = values_of(command, "--data");
  const FineTuneRequest request = {.model = last("--finetune"),
                                   .data = {data.begin(), data.end()},
                                   .run = last("--run"),
                                   .config = last("--config"),
                                   .overrides = values_of(command, "--set"),
                                   .replay = std::strtod(last("--replay").c_str(), nullptr)};
  const bool replays = request.replay > 0 || fs::exists(request.run / "config.yaml");  // if the run has begun with it
  if (request.model.empty() || data.empty() || !replays) return {};
  const std::string replayed = fine_tune(request).replayed;
  if (replayed.empty()) return {};
  return {replayed};
}

void meet_others() {
  with_workers([](Workers& workers) { std::cout << line_of_meeting(workers.size()) << "\n" << std::flush; });
}

struct LaunchFlags {
  HostFlags hosts;
  MpiJobFlags mpijob;
  std::vector<std::string> mpirun_args;
  int min_workers = 0, min_hosts = 0;
  int max_restarts = kNotGiven, wait_at_start = kNotGiven, wait_for_hosts = kNotGiven;
  int start_timeout = static_cast<int>(LaunchSettings().start_timeout.count());
  bool dry_run = false, meet = false, copy = false;

  void declare(Options& options);
  // --print-mpijob: the YAML of the job.
  std::string job_for_kubernetes(const Arguments& command) const;
  // Which hosts and workers there are, and when to go on without some of them.
  LaunchSettings settings() const;
};

void LaunchFlags::declare(Options& options) {
  const auto count = [&](const std::string& name, int& value, const std::string& about, const Check& range) {
    return options.add_option(name, value, about)->type_name("N")->check(range);
  };
  hosts.declare(options);
  count("--max-restarts", max_restarts,
        "Maximum number of restarts after the loss of a worker (default 0; 10 for an MPIJob)", at_least(0));
  count("--min-workers", min_workers, "Continue without a lost host if at least N workers remain (default all)",
        at_least(1));
  count("--min-hosts", min_hosts, "Continue without a lost host if at least N hosts remain (default all)", at_least(1));
  count("--start-timeout", start_timeout, "Seconds without progress after which workers that start count as lost",
        at_least(1))
      ->capture_default_str();
  count("--wait-at-start", wait_at_start,
        "Seconds to wait for hosts that do not answer yet, before the first start (default 0; 600 for an MPIJob)",
        at_least(0));
  count("--wait-for-hosts", wait_for_hosts, "Seconds to wait for a lost host (default 30; 300 for an MPIJob)",
        at_least(0));
  options.add_list("--mpirun-args", mpirun_args,
                   "More arguments for mpirun: --mpirun-args=\"--mca NAME VALUE\" (repeatable)", "ARGS");
  options.add_flag("--copy", copy, "Copy program, configuration and dataset to hosts that lack them, by checksum");
  options.add_flag("--dry-run", dry_run, "Only print the command");
  options.add_flag("--meet", meet, "")->hidden();  // for the processes of a trial: connect, print how many, end
  mpijob.declare(options);
}

std::string LaunchFlags::job_for_kubernetes(const Arguments& command) const {
  const auto text = [](int value, int usual) { return std::to_string(value == kNotGiven ? usual : value); };
  Arguments launch = {"--max-restarts",   text(max_restarts, 10),    "--wait-at-start", text(wait_at_start, 600),
                      "--wait-for-hosts", text(wait_for_hosts, 300), "--start-timeout", std::to_string(start_timeout)};
  if (min_workers > 0) launch.insert(launch.end(), {"--min-workers", std::to_string(min_workers)});
  if (min_hosts > 0) launch.insert(launch.end(), {"--min-hosts", std::to_string(min_hosts)});
  if (copy)
    fail_usage(
        "--print-mpijob cannot be combined with --copy: pods have the program in their image, data on the volume");
  for (const std::string& args : mpirun_args) launch.push_back("--mpirun-args=" + args);
  std::string yaml = mpijob.print(hosts, launch, command);
  if (min_workers > hosts.workers) fail_usage("--min-workers {} is more than -n {}", min_workers, hosts.workers);
  if (const int pods = mpijob.pods(hosts); min_hosts > pods) {
    fail_usage("--min-hosts {} is more than the {} pod{} of the job", min_hosts, pods, pods == 1 ? "" : "s");
  }
  return yaml;
}

LaunchSettings LaunchFlags::settings() const {
  if (!hosts.given()) {
    fail_usage("the number of workers is missing: -n 2, -H a:2,b:2 or --slurm\nSee: verbund launch --help");
  }
  LaunchSettings settings;
  settings.min_hosts = std::max(1, min_hosts);
  if (wait_at_start != kNotGiven) settings.wait_at_start = std::chrono::seconds(wait_at_start);
  settings.hosts = hosts_at_start(hosts, settings, min_workers);
  settings.workers = hosts.workers == 0 ? total_slots(settings.hosts) : hosts.workers;
  if (!hosts.from.empty()) settings.source = std::make_shared<const HostSource>(hosts.from);
  settings.fixed_workers = hosts.workers > 0;
  // Without both limits, all workers are needed; one of them alone is enough.
  settings.min_workers = min_workers > 0 ? min_workers : min_hosts > 0 ? 1 : settings.workers;
  if (settings.min_workers > settings.workers) {
    fail_usage("--min-workers {} is more than all {} workers", settings.min_workers, settings.workers);
  }
  if (const size_t count = settings.hosts.size(); settings.min_hosts > static_cast<int>(count)) {
    fail_usage("--min-hosts {} is more than the {} host{} given", settings.min_hosts, count, count == 1 ? "" : "s");
  }
  settings.start_timeout = std::chrono::seconds(start_timeout);
  if (max_restarts != kNotGiven) settings.max_restarts = max_restarts;
  if (wait_for_hosts != kNotGiven) settings.wait_for_hosts = std::chrono::seconds(wait_for_hosts);
  return settings;
}

}  // namespace

void run_launch(const Arguments& arguments) {
  Options options(
      "launch",
      "Runs the command after -- with several workers that train as one, by means of mpirun or Slurm's srun (data "
      "parallel). The first worker of the first host reads and writes the run folder. After Ctrl-C or when the "
      "terminal is closed, all workers save and end. When a worker or a host is lost, the job resumes from its newest "
      "checkpoint, at most --max-restarts times.",
      "  verbund launch -n 2 -- train --config demo --data data/demo --run runs/demo\n"
      "  verbund launch -H a:2,b:2 --nic eth1 --max-restarts 10 --min-workers 2 -- train ...\n"
      "  verbund launch --hosts-from ./discover_hosts.sh --min-hosts 2 --max-restarts 10 -- train ...\n"
      "  verbund launch -H a:2,b:2 --dry-run -- train ...\n"
      "  verbund launch --slurm -- train ... (in a job of Slurm, see docs/slurm.md)\n"
      "  verbund launch --print-mpijob demo -n 4 --slots 2 --image verbund:1 -- train ... | kubectl apply -f -\n");
  LaunchFlags flags;
  flags.declare(options);

  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (end == arguments.end() && std::find(arguments.begin(), arguments.end(), "train") != end) {
    fail_usage("write -- before the command, as in: verbund launch -n 2 -- train --data ...");
  }
  if (!options.read(Arguments(arguments.begin(), end))) return;
  if (flags.meet) return meet_others();
  if (!options.log_level().empty()) ::setenv(kLogLevelVariable, options.log_level().c_str(), 1);  // for the workers

  const Arguments command(end == arguments.end() ? end : end + 1, arguments.end());
  flags.hosts.job.program = worker_program(command);
  if (flags.mpijob.given()) {
    std::cout << flags.job_for_kubernetes(command);
    return;
  }
  LaunchSettings settings = flags.settings();
  for (const std::string& args : flags.mpirun_args) {
    for (const std::string& word : split_words(args)) flags.hosts.mpirun.args.push_back(word);
  }
  const std::vector<Host> used = used_hosts(settings.hosts, settings.workers);
  flags.hosts.complete_job(used);
  if (!flags.dry_run) flags.hosts.job.terminal = describe_for_workers(terminal());
  settings.job = flags.hosts.job;
  settings.starter = flags.hosts.starter();
  for (const Host& host : used) {
    if (!is_crowded(host)) continue;
    warn("{} workers on {}, which has {} cores: more workers than cores are slower, not faster", host.slots, host.name,
         std::thread::hardware_concurrency());
  }

  if (flags.copy && !flags.dry_run) {
    settings.copies = list_for_copy(settings.job.program, settings.job.folder, replayed_datasets(settings.job.program));
  }
  if (flags.dry_run) {
    std::cout << shell_line(settings.starter->command(settings.job, used)) << "\n";
  } else {
    supervise(settings);
  }
}

}  // namespace verbund
