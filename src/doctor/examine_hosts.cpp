// The process that starts the workers: reads what they say, and loses patience when they do not come together.
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/log.h"
#include "doctor/examine.h"
#include "launch/job.h"
#include "launch/mpirun_notices.h"
#include "launch/process.h"
#include "launch/reachable_hosts.h"
#include "launch/restart_policy.h"
#include "launch/stop_signals.h"
#include "launch/tagged_output.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kProbePatience{10};
constexpr seconds kGraceAfterLoss{15};
constexpr seconds kGraceOfLeftovers{2};
constexpr std::string_view kErrorMark = "verbund: ";
constexpr int kCannotRun = 127;

class Examination {
 public:
  Examination(const std::vector<std::string>& command, const std::vector<Host>& hosts)
      : hosts_(hosts), notices_(hosts), output_([this](const OutputLine& line) { hear(line); }), mpirun_(command) {}

  Facts run(const StopSignals& signals, seconds patience) {
    give_up_at_ = Clock::now() + patience;
    bool gave_up = false;
    while (!mpirun_.exit_code()) {
      output_.add(mpirun_.read(milliseconds(50)));
      if (const int signal = signals.take()) {
        mpirun_.signal_group(SIGKILL);
        throw Interrupted(signal);
      }
      if (gave_up || !give_up_at_ || Clock::now() < *give_up_at_) continue;
      gave_up = true;
      mpirun_.signal_group(SIGKILL);
    }
    end_leftover_children(kGraceOfLeftovers);
    for (std::string rest; !(rest = mpirun_.read(milliseconds(0))).empty();) output_.add(rest);
    output_.finish();
    show_mpirun(notices_.finish());
    if (facts_) return *facts_;

    return facts_of_failure(gave_up, patience);
  }

 private:
  Facts facts_of_failure(bool gave_up, seconds patience) {
    Facts facts;
    const int code = *mpirun_.exit_code();
    if (gave_up && last_error_.empty()) {
      facts.start = StartResult::kBlocked;
      facts.start_message = fmt::format("the workers on {} have not come together within {} s: mpirun waits for a host",
                                        describe_hosts(hosts_), patience.count());
      return facts;
    }
    facts.start = gave_up || code == kExitLostWorker ? StartResult::kBlocked
                  : notices_.cannot_start()          ? StartResult::kNoProgram
                  : code == kCannotRun               ? StartResult::kNoMpirun
                  : notices_.lost_host()             ? StartResult::kBlocked
                                                     : StartResult::kFailed;
    facts.start_message = !last_error_.empty()         ? last_error_
                          : !notices_.reason().empty() ? notices_.reason()
                          : notices_.lost_host()       ? "mpirun could not start its daemon on a host, or lost it"
                                                       : fmt::format("mpirun ended with exit code {}", code);
    return facts;
  }

  void hear(const OutputLine& line) {
    if (line.rank == OutputLine::kMpirun) return show_mpirun(notices_.add(line.text));
    if (line.rank == 0 && line.is_stdout) {
      if (line.text == kTogether) {
        give_up_at_.reset();  // from here on they watch each other
      } else {
        facts_ = nlohmann::json::parse(line.text).get<Facts>();
      }
      return;
    }
    const std::string host = host_of_worker(hosts_, line.rank);
    if (line.text.find(kLostWorkerMark) != std::string::npos) give_up_at_ = Clock::now() + kGraceAfterLoss;
    if (line.text.rfind(kErrorMark, 0) == 0) last_error_ = line.text.substr(kErrorMark.size());
    fmt::print(stderr, "[{} {}] {}\n", line.rank, host, line.text);
  }

  static void show_mpirun(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (!line.empty()) fmt::print(stderr, "[mpirun] {}\n", line);
    }
  }

  std::vector<Host> hosts_;
  MpirunNotices notices_;
  TaggedOutput output_;
  std::optional<Clock::time_point> give_up_at_;  // mpirun may wait for ever
  std::optional<Facts> facts_;
  std::string last_error_;  // of a worker
  Process mpirun_;
};

}  // namespace

Facts examine_hosts(const JobSettings& job, const std::vector<Host>& hosts, seconds patience) {
  const StopSignals signals;
  adopt_orphans();
  std::vector<AskedHost> asked;
  bool all_answer = true;
  for (const HostAnswer& answer : HostProbe(job.rsh_agent).ask(hosts, kProbePatience, signals)) {
    asked.push_back({answer.host.name, answer.host.slots, answer.answers, answer.said});
    all_answer &= answer.answers;
  }
  Facts facts;
  facts.start = StartResult::kNotTried;
  if (all_answer) {
    log("{} on {}: measuring", describe_workers(total_slots(hosts)), describe_hosts(hosts));
    facts = Examination(mpirun_command(job, hosts), hosts).run(signals, patience);
  }
  facts.asked = std::move(asked);
  return facts;
}

}  // namespace verbund
