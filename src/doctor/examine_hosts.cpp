// SPDX-License-Identifier: Apache-2.0
// The process that starts the workers: reads their output, and gives up if they do not connect.
#include <csignal>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/json.h"
#include "core/log.h"
#include "core/process.h"
#include "core/terminal.h"
#include "doctor/examine.h"
#include "launch/job.h"
#include "launch/job_session.h"
#include "launch/reachable_hosts.h"
#include "launch/stop_signals.h"

namespace verbund {
namespace {

constexpr std::chrono::seconds kProbePatience{10};
constexpr std::chrono::seconds kStopPatience{2};
constexpr std::string_view kErrorMark = "verbund: ";
constexpr int kCannotRun = 127;

class Examination {
 public:
  Examination(const Starter& starter, const JobSettings& job, const std::vector<Host>& hosts)
      : hosts_(hosts),
        starter_(starter.name()),
        session_(starter, job, hosts, [this](const OutputLine& line) { hear(line); }) {}

  Facts run(const StopSignals& signals, std::chrono::seconds patience) {
    session_.kill_within(patience);
    while (session_.listen()) {
      if (const int signal = signals.take()) stop(signal);
    }
    return facts_ ? *facts_ : facts_of_failure(patience);
  }

 private:
  [[noreturn]] void stop(int signal) {
    session_.signal(SIGTERM);
    session_.kill_within(kStopPatience);
    while (session_.listen()) {  // until nothing is left on the hosts
    }
    throw Interrupted(signal);
  }

  Facts facts_of_failure(std::chrono::seconds patience) {
    Facts facts;
    const StarterNotices& notices = session_.notices();
    const int code = session_.exit_code();
    const bool gave_up = session_.was_killed() && !session_.lost_worker();
    if (gave_up && last_error_.empty()) {
      facts.start = StartResult::kBlocked;
      facts.start_message = fmt::format("the workers on {} have not connected within {} s: {} waits for a host",
                                        describe_hosts(hosts_), patience.count(), starter_);
      return facts;
    }
    facts.start = code == kExitLostWorker || gave_up ? StartResult::kBlocked
                  : notices.cannot_start()           ? StartResult::kNoProgram
                  : code == kCannotRun               ? StartResult::kNoMpirun
                  : notices.lost_host()              ? StartResult::kBlocked
                                                     : StartResult::kFailed;
    facts.start_message = !last_error_.empty()        ? last_error_
                          : !notices.reason().empty() ? notices.reason()
                          : notices.lost_host()       ? starter_ + " could not start its daemon on a host, or lost it"
                                                      : fmt::format("{} exited with code {}", starter_, code);
    return facts;
  }

  void hear(const OutputLine& line) {
    if (line.rank == 0 && line.is_stdout) {
      if (line.text == kTogether) {
        session_.cancel_kill();  // from now on their watchdogs take over
      } else {
        facts_ = parse_json(line.text).get<Facts>();
      }
      return;
    }
    const std::string host = host_of_worker(hosts_, line.rank);
    if (line.text.rfind(kErrorMark, 0) == 0) last_error_ = line.text.substr(kErrorMark.size());
    print_line(fmt::format("[{} {}] {}", line.rank, host, line.text));
  }

  std::vector<Host> hosts_;
  std::string starter_;  // its name
  std::optional<Facts> facts_;
  std::string last_error_;  // of a worker
  JobSession session_;
};

}  // namespace

Facts examine_hosts(const Starter& starter, const JobSettings& settings, const std::vector<Host>& hosts,
                    std::chrono::seconds patience) {
  JobSettings job = settings;
  job.terminal = describe_for_workers({});  // no status line, but records of lost workers
  const StopSignals signals;
  adopt_orphans();
  allow_many_files();  // a pipe to every host that is asked
  std::vector<AskedHost> asked;
  bool all_answer = true;
  for (const HostAnswer& answer : HostProbe(starter).ask(hosts, kProbePatience, signals)) {
    asked.push_back({answer.host.name, answer.host.slots, answer.answers, answer.said});
    all_answer &= answer.answers;
  }
  Facts facts;
  facts.start = StartResult::kNotTried;
  if (all_answer) {
    log("{} on {}: measuring", describe_workers(total_slots(hosts)), describe_hosts(hosts));
    facts = Examination(starter, job, hosts).run(signals, patience);
  }
  facts.asked = std::move(asked);
  return facts;
}

}  // namespace verbund
