// mpirun from its start until it and all that it left behind have ended: whoever starts it hears what the workers
// say, line by line; what mpirun itself says is read, and shown if it is of use.
//
// mpirun may wait for ever: for the daemon of a host that is cut off, or for a worker that was killed
// while it started. Once a record of a worker (core/status.h) or mpirun itself has told that somebody is lost, it
// has 15 s to end.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/host_list.h"
#include "launch/mpirun_notices.h"
#include "launch/process.h"
#include "launch/tagged_output.h"

namespace verbund {

class MpirunSession {
 public:
  using Hear = std::function<void(const OutputLine&)>;  // of a worker

  MpirunSession(const std::vector<std::string>& command, const std::vector<Host>& hosts, Hear hear);

  // Listens for a moment. False when all has ended and all has been heard.
  bool listen();

  void signal(int number) const { mpirun_.signal(number); }

  // It is killed, with what it started here, if it has not ended by then. The shortest patience counts.
  void kill_within(std::chrono::seconds patience);

  // It may run as long as it likes, unless somebody is lost.
  void cancel_kill() {
    if (!lost_worker_) kill_at_.reset();
  }

  // After the end.
  bool was_killed() const { return killed_; }  // because it did not end by itself
  bool lost_worker() const { return lost_worker_; }
  // Whom a worker has told of; -1: nobody in particular.
  int rank_of_lost() const { return rank_of_lost_; }
  // The last word was mpirun's own, and not a worker's: it says so when a worker ends with an error.
  bool mpirun_spoke_last() const { return mpirun_spoke_last_; }
  int exit_code() const { return exit_code_; }  // if it was killed after a loss: what it would have been
  const MpirunNotices& notices() const { return notices_; }

 private:
  void hear(const OutputLine& line);
  void hear_mpirun(const std::vector<std::string>& shown);
  void note_loss();

  Hear hear_worker_;
  MpirunNotices notices_;
  TaggedOutput output_;
  Process mpirun_;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
  bool lost_worker_ = false;
  int rank_of_lost_ = -1;
  bool killed_ = false;
  bool mpirun_spoke_last_ = false;
  int exit_code_ = 0;
};

}  // namespace verbund
