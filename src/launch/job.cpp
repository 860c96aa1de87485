#include "launch/job.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>

#include "core/error.h"
#include "core/log.h"
#include "launch/mpirun_notices.h"
#include "launch/process.h"
#include "launch/tagged_output.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSilence{30};
constexpr seconds kGraceAfterLoss{15};
constexpr seconds kGraceAfterTerminate{10};
constexpr seconds kGraceOfLeftovers{2};

class Job {
 public:
  Job(const std::vector<std::string>& command, const std::vector<Host>& hosts)
      : hosts_(hosts), notices_(hosts), output_([this](const OutputLine& line) { show(line); }), mpirun_(command) {}

  JobEnd run(const StopSignals& signals) {
    JobEnd end;
    bool hung = false;  // after a loss
    while (!mpirun_.exit_code()) {
      output_.add(mpirun_.read(milliseconds(50)));
      if (const int signal = signals.take()) {
        if (end.stop_requests == 0) end.stop_signal = signal;
        stop(++end.stop_requests);
      }
      if (kill_at_ && Clock::now() >= *kill_at_) {
        mpirun_.signal_group(SIGKILL);
        hung = lost_worker_;
      }
      if (!heard_or_said_ && Clock::now() >= begin_ + kSilence) report_silence();
    }
    end_leftover_children(kGraceOfLeftovers);  // a worker that lives on would keep the run folder locked
    for (std::string rest; !(rest = mpirun_.read(milliseconds(0))).empty();) output_.add(rest);
    output_.finish();
    show_mpirun(notices_.finish());

    end.exit_code = hung ? kExitLostWorker : *mpirun_.exit_code();
    end.lost_host = notices_.lost_host();
    end.cannot_start = notices_.cannot_start();
    end.reason = hung                         ? "a worker was lost, and mpirun did not end"
                 : !notices_.reason().empty() ? notices_.reason()
                 : end.lost_host              ? "mpirun could not reach a host"
                                              : fmt::format("mpirun ended with exit code {}", end.exit_code);
    return end;
  }

 private:
  void stop(int request) {
    if (request == 1) {
      log("asking all workers to save and leave; once more ends them at once");
      mpirun_.signal(SIGUSR1);
    } else if (request == 2) {
      log("ending all workers at once");
      mpirun_.signal(SIGTERM);
      kill_at_ = Clock::now() + kGraceAfterTerminate;
    } else {
      kill_at_ = Clock::now();
    }
  }

  // mpirun waits in silence, without end, for a daemon that cannot connect back to it.
  void report_silence() {
    heard_or_said_ = true;
    if (hosts_.size() == 1) return;
    warn("no worker has said anything for {} s. Do {} accept connections from each other on all ports?",
         kSilence.count(), describe_hosts(hosts_));
  }

  void show(const OutputLine& line) {
    if (line.rank == OutputLine::kMpirun) return show_mpirun(notices_.add(line.text));
    heard_or_said_ = true;
    if (line.text.find(kLostWorkerMark) != std::string::npos && !lost_worker_) {
      lost_worker_ = true;
      if (!kill_at_) kill_at_ = Clock::now() + kGraceAfterLoss;
    }
    if (line.rank == 0) {
      std::FILE* const stream = line.is_stdout ? stdout : stderr;
      fmt::print(stream, "{}\n", line.text);
      std::fflush(stream);
    } else if (hosts_.size() == 1) {
      fmt::print(stderr, "[{}] {}\n", line.rank, line.text);
    } else {
      fmt::print(stderr, "[{} {}] {}\n", line.rank, host_of_worker(hosts_, line.rank), line.text);
    }
  }

  static void show_mpirun(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (!line.empty()) fmt::print(stderr, "[mpirun] {}\n", line);
    }
  }

  std::vector<Host> hosts_;
  MpirunNotices notices_;
  TaggedOutput output_;
  const Clock::time_point begin_ = Clock::now();
  bool heard_or_said_ = false;  // a worker spoke, or we said that none does
  bool lost_worker_ = false;
  std::optional<Clock::time_point> kill_at_;
  Process mpirun_;
};

}  // namespace

JobEnd run_job(const std::vector<std::string>& command, const std::vector<Host>& hosts, const StopSignals& signals) {
  return Job(command, hosts).run(signals);
}

}  // namespace verbund
