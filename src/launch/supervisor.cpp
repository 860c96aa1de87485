// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor.h"

#include "collectives/segment_folder.h"
#include "core/child_process.h"
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "core/process.h"
#include "launch/host_supply.h"
#include "launch/job.h"
#include "launch/reachable_hosts.h"
#include "launch/restart_hosts.h"
#include "launch/stop_signals.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kProbePatience{10};
constexpr seconds kPause{1};

class Supervisor {
 public:
  explicit Supervisor(const LaunchSettings& settings)
      : settings_(settings),
        probe_(*settings.starter),
        supply_(*settings.starter, settings.copies, settings.job.folder),
        restart_hosts_(settings, supply_, signals_) {}

  void run() {
    adopt_orphans();
    std::vector<Host> hosts = hosts_for_first_start();
    supply_all();
    JobSettings job = settings_.job;
    std::set<std::string> verified;  // notes of the dataset's copies
    for (int restarts = 0;; ++restarts) {
      log("{} on {}", describe_workers(total_slots(hosts)), describe_hosts(hosts));
      debug("starting: {}", shell_line(settings_.starter->command(job, hosts)));
      const JobEnd end = run_job(*settings_.starter, job, hosts, signals_, settings_.start_timeout);
      remove_dead_segment_folders();  // of workers that were killed
      debug("job: exit code {}, {}", end.exit_code, end.reason.empty() ? "no loss" : end.reason);
      if (judge(end) == JobFate::kDone) return;
      if (judge(end) == JobFate::kStopped) {
        throw has_reported_stop(end) ? Interrupted::in_silence(end.stop_signal) : Interrupted(end.stop_signal);
      }
      if (judge(end) == JobFate::kFailed) fail_for_good(end);
      if (restarts == settings_.max_restarts) fail_after_last_restart(end);
      warn("{}. Restart {} of {}", end.reason, restarts + 1, settings_.max_restarts);
      verified.insert(end.verified.begin(), end.verified.end());
      job.verified = fmt::format("{}", fmt::join(verified, ","));
      job.restart = fmt::format("{} {}", restarts + 1, end.reason);
      job.continues |= end.has_trained;
      if (!end.all_started) pause();  // a start that fails at once is not repeated at once
      // A host may come back with an empty disk. A starter that had to be killed does not say whether it lost one.
      supply_.forget_all_but(end.lost_host || end.was_killed ? std::vector<Host>() : hosts);
      hosts = restart_hosts_.choose(hosts);
    }
  }

 private:
  // Waits some time for hosts that are still being started, as a cluster does that makes them for the job.
  std::vector<Host> hosts_for_first_start() const {
    const Clock::time_point end = settings_.begun + settings_.wait_at_start;
    std::vector<Host> missing = settings_.hosts;
    for (bool said = false;; said = true) {
      const std::vector<HostAnswer> answers = probe_.ask(missing, kProbePatience, signals_);
      missing.clear();
      for (const HostAnswer& answer : answers) {
        if (!answer.answers) missing.push_back(answer.host);
      }
      if (missing.empty()) return used_hosts(settings_.hosts, settings_.workers);
      if (Clock::now() + kPause >= end) fail_without(answers);
      if (!said) log("waiting up to {} s for {}", settings_.wait_at_start.count(), describe_silent(answers));
      pause();
    }
  }

  // Spare hosts, too.
  void supply_all() {
    std::vector<HostAnswer> answers;
    for (const Host& host : settings_.hosts) answers.push_back({host, true, ""});
    if (const int code = supply_.supply(answers, signals_)) {
      throw Error(fmt::format("the job was not started, because --copy failed: {}.\n{}", describe_silent(answers),
                              code == kExitLostWorker ? "The same command continues the copy where it broke off"
                                                      : "Once that is repaired, the same command copies the rest"),
                  code);
    }
  }

  [[noreturn]] void fail_without(const std::vector<HostAnswer>& answers) const {
    const auto waited = settings_.wait_at_start.count();
    fail("the job was not started, because a host does not answer{}: {}.\n{}",
         waited > 0 ? fmt::format(" within {} s", waited) : "", describe_silent(answers),
         settings_.starter->advice_for_silent_host());
  }

  void pause() const { pause_for(kPause, signals_); }

  [[noreturn]] void fail_for_good(const JobEnd& end) const {
    if (end.exit_code == 127) {
      fail("cannot run {}: {}", settings_.starter->name(), settings_.starter->advice_if_missing());
    }
    if (end.cannot_start) fail("{} cannot be started on every host, see above", shell_line(settings_.job.program));
    if (end.stop_requests > 0) throw Error(end.reason + " while it was stopping", end.exit_code);
    throw Error(end.reason + ": not restarted, because it would fail again", end.exit_code);
  }

  [[noreturn]] void fail_after_last_restart(const JobEnd& end) const {
    const std::string advice =
        settings_.max_restarts == 0
            ? "The same command resumes from the newest checkpoint; --max-restarts N does so automatically"
            : fmt::format("That was the last of {} restarts; the same command resumes from the newest checkpoint",
                          settings_.max_restarts);
    throw Error(end.reason + ".\n" + advice, kExitLostWorker);
  }

  const LaunchSettings& settings_;
  const StopSignals signals_;
  const HostProbe probe_;
  HostSupply supply_;
  RestartHosts restart_hosts_;
};

}  // namespace

void supervise(const LaunchSettings& settings) {
  allow_many_files();  // a pipe to every host that is asked
  Supervisor(settings).run();
}

}  // namespace verbund
