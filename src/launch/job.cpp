// SPDX-License-Identifier: Apache-2.0
#include "launch/job.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/output.h"
#include "launch/job_session.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kSilence{30};
constexpr seconds kGraceAfterTerminate{10};
constexpr seconds kPatienceWithStart{10};  // after a request to stop

class Job {
 public:
  Job(const Starter& starter, const JobSettings& job, const std::vector<Host>& hosts, seconds start_timeout)
      : hosts_(hosts),
        starter_(starter.name()),
        start_timeout_(start_timeout),
        session_(starter, job, hosts, [this](const OutputLine& line) { show(line); }) {}

  JobEnd run(const StopSignals& signals) {
    JobEnd end;
    while (session_.listen()) {
      const int signal = signals.take();
      if (signal != 0 && (end.stop_requests == 0 || is_forced_stop(end.stop_signal, signal))) {
        if (end.stop_requests == 0) end.stop_signal = signal;
        stop(++end.stop_requests);
      }
      if (pass_on_at_ && session_.all_started()) {
        pass_on_at_.reset();
        session_.ask_to_stop(end.stop_signal);
      } else if (pass_on_at_ && Clock::now() >= *pass_on_at_) {
        warn("not all workers had started {} s after the stop request", kPatienceWithStart.count());
        stop(++end.stop_requests);
      }
      if (end.stop_requests == 0) session_.limit_start(start_timeout_);
      if (!heard_or_said_ && Clock::now() >= begin_ + kSilence) report_silence();
    }
    clear_status();
    const StarterNotices& notices = session_.notices();
    end.exit_code = session_.exit_code();
    end.all_started = session_.all_started();
    end.has_trained = session_.has_trained();
    end.lost_host = notices.lost_host();
    end.was_killed = session_.was_killed();
    end.cannot_start = notices.cannot_start();
    end.verified = session_.verified();
    end.from_outside = notices.was_terminated(end.exit_code, session_.starter_spoke_last());
    end.from_outside &= session_.never_started().empty();
    if (end.stop_requests == 0 && notices.was_asked_to_stop()) {
      end.stop_requests = 1;
      end.stop_signal = SIGTERM;
    }
    end.reason = !notices.reason().empty()           ? notices.reason()
                 : !session_.never_started().empty() ? start_failure()
                 : end.lost_host                     ? starter_ + " could not reach a host"
                 : end.from_outside ? starter_ + " was terminated from outside, and stopped the workers"
                 : session_.was_killed() && session_.lost_worker()
                     ? lost_worker() + " was lost, and " + starter_ + " did not exit"
                     : fmt::format("{} exited with code {}", starter_, end.exit_code);
    return end;
  }

 private:
  void stop(int request) {
    if (request == 1) {
      log("{}; a second signal ends them at once", session_.all_started()
                                                       ? "asking all workers to save and exit"
                                                       : "the workers will exit as soon as all have started");
      pass_on_at_ = Clock::now() + kPatienceWithStart;
    } else if (request == 2) {
      log("ending all workers at once");
      pass_on_at_.reset();
      session_.signal(SIGTERM);
      session_.kill_within(kGraceAfterTerminate);
    } else {
      session_.kill_within(seconds(0));
    }
  }

  // "worker 1 on b did not connect within 60 s"
  std::string start_failure() const {
    const int rank = session_.never_started().front();
    const size_t others = session_.never_started().size() - 1;
    return fmt::format("worker {} on {}{} did not {} within {} s", rank, host_of_worker(hosts_, rank),
                       others == 0 ? "" : fmt::format(" and {} more", others),
                       session_.all_started() ? "connect with the others" : "start", start_timeout_.count());
  }

  std::string lost_worker() const {
    const int rank = session_.rank_of_lost();
    return rank < 0 ? "a worker" : fmt::format("worker {} on {}", rank, host_of_worker(hosts_, rank));
  }

  // A starter waits silently for a daemon that cannot connect back to it.
  void report_silence() {
    heard_or_said_ = true;
    if (hosts_.size() == 1) return;
    warn("no output from any worker for {} s. Do {} accept connections from each other on all ports?", kSilence.count(),
         describe_hosts(hosts_));
  }

  void show(const OutputLine& line) {
    heard_or_said_ = true;
    if (line.rank == 0 && line.is_stdout) {
      if (::isatty(STDOUT_FILENO) == 1) clear_status();
      write_or_drop(STDOUT_FILENO, line.text + "\n");  // training continues even if nobody reads its output
    } else if (const std::optional<Status> status = parse_marked_status(line.text)) {
      if (line.rank == 0) draw_status(*status);
    } else if (line.rank == 0) {
      print_line(line.text);
    } else if (hosts_.size() == 1) {
      print_line(fmt::format("[{}] {}", line.rank, line.text));
    } else {
      print_line(fmt::format("[{} {}] {}", line.rank, host_of_worker(hosts_, line.rank), line.text));
    }
  }

  std::vector<Host> hosts_;
  std::string starter_;  // its name
  const seconds start_timeout_;
  const Clock::time_point begin_ = Clock::now();
  std::optional<Clock::time_point> pass_on_at_;  // a request to stop waits for workers that start, until then
  bool heard_or_said_ = false;                   // a worker wrote something, or we warned that none does
  JobSession session_;
};

}  // namespace

JobEnd run_job(const Starter& starter, const JobSettings& job, const std::vector<Host>& hosts,
               const StopSignals& signals, seconds start_timeout) {
  return Job(starter, job, hosts, start_timeout).run(signals);
}

bool has_reported_stop(const JobEnd& end) {
  const int signal = end.exit_code - 128;
  return end.stop_requests == 1 && (signal == SIGINT || signal == SIGTERM || signal == SIGHUP);
}

JobFate judge(const JobEnd& end) {
  // Before its daemons have connected, an mpirun that is stopped may exit with 0.
  if (end.exit_code == 0) return end.stop_requests > 0 && !end.all_started ? JobFate::kStopped : JobFate::kDone;
  if (end.stop_requests > 1) return JobFate::kStopped;  // by force: the exit code means nothing
  if (end.stop_requests == 1) {
    // The request itself kills workers that are not yet ready to save anything. A scheduler that ends a job stops the
    // starter as well.
    const int signal = end.exit_code - 128;
    const bool killed_by_request = meaning_of(signal) != signal || end.from_outside;
    return has_reported_stop(end) || killed_by_request ? JobFate::kStopped : JobFate::kFailed;
  }
  if (end.cannot_start) return JobFate::kFailed;
  if (end.lost_host || end.from_outside) return JobFate::kLost;
  switch (end.exit_code) {
    case 1:    // training failed for good: divergence, a full disk, damaged data
    case 2:    // wrong usage
    case 127:  // there is no starter
      return JobFate::kFailed;
    default:
      return JobFate::kLost;
  }
}

}  // namespace verbund
