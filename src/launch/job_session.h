// SPDX-License-Identifier: Apache-2.0
// JobSession runs a starter until it and all processes that it left behind have ended. It passes on the workers' output
// line by line; the starter's own messages are parsed, and shown where they help.
//
// A starter may wait forever: mpirun does for the daemon of a host that is cut off, or for a worker that was killed
// while it started. Once a worker (core/status.h) or the starter itself reports a lost worker, the starter has 6 s to
// exit. So it has if the start makes no progress for too long.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/child_process.h"
#include "launch/starter.h"

namespace verbund {

class JobSession {
 public:
  using Hear = std::function<void(const OutputLine&)>;  // of a worker

  JobSession(const Starter& starter, const JobSettings& job, const std::vector<Host>& hosts, Hear hear);

  // Reads output for a moment. False when everything has ended and all output has been read.
  bool listen();

  void signal(int number) const { process_.signal(number); }
  void ask_to_stop(int signal) const { starter_.pass_on(signal, process_); }  // the workers

  // Kills the starter and its process group if it has not exited by then. The shortest patience counts.
  void kill_within(std::chrono::seconds patience);

  // Lifts the time limit, unless a worker is lost.
  void cancel_kill() {
    if (!lost_worker_) kill_at_.reset();
  }

  // All workers have told that they can be asked to stop (core/status.h). Before that, a starter may lose the request.
  bool all_started() const { return static_cast<int>(started_.size()) >= workers_; }

  // Ends the starter if no worker has come further in its start for so long: nobody reports a worker that was killed
  // while MPI connected it with the others.
  void limit_start(std::chrono::seconds patience);

  // After the end:
  // Ranks that had not connected when the start was abandoned.
  const std::vector<int>& never_started() const { return never_started_; }
  bool was_killed() const { return killed_; }  // because it did not exit by itself
  bool lost_worker() const { return lost_worker_; }
  bool has_trained() const { return has_trained_; }  // the run has begun, or has been resumed
  // The rank of the lost worker, as reported by one; -1: not known.
  int rank_of_lost() const { return rank_of_lost_; }
  // The last line was the starter's own, not a worker's.
  bool starter_spoke_last() const { return starter_spoke_last_; }
  int exit_code() const { return exit_code_; }  // after a kill because of a loss: what it would have been
  const StarterNotices& notices() const { return *notices_; }
  // Notes of the copies of the dataset that workers have verified (data/verified_note.h).
  const std::set<std::string>& verified() const { return verified_; }

 private:
  void hear(const OutputLine& line);
  void hear_starter(const std::vector<std::string>& shown);
  void note_loss();
  bool read(std::chrono::milliseconds patience);  // false: nothing came
  std::vector<int> not_ready() const;

  Hear hear_worker_;
  int workers_;
  std::set<int> started_, connecting_, connected_;                                          // ranks
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();  // of the start
  std::vector<int> never_started_;
  std::set<std::string> verified_;
  const Starter& starter_;
  std::unique_ptr<StarterNotices> notices_;
  std::unique_ptr<WorkerLines> lines_;
  ChildProcess process_;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
  bool lost_worker_ = false;
  bool has_trained_ = false;
  int rank_of_lost_ = -1;
  bool killed_ = false;
  bool starter_spoke_last_ = false;
  int exit_code_ = 0;
};

}  // namespace verbund
