// SPDX-License-Identifier: Apache-2.0
// A job is one start of the workers, until their starter and all processes that it left behind have ended. How it ended
// decides whether another start makes sense.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "launch/starter.h"
#include "launch/stop_signals.h"

namespace verbund {

struct JobEnd {
  int exit_code = 0;
  std::string reason;              // "worker 1 on b was killed by signal 9 (Killed)"
  int stop_requests = 0;           // signals received while the job ran
  int stop_signal = 0;             // the first of them
  bool all_started = false;        // every worker
  bool has_trained = false;        // the run has begun, or has been resumed
  bool lost_host = false;          // the starter could not start or reach its daemon on a host
  bool was_killed = false;         // the starter, because it did not exit after a loss
  bool cannot_start = false;       // the program or folder is missing on a host
  bool from_outside = false;       // the starter itself was terminated
  std::set<std::string> verified;  // notes of the dataset's copies (data/verified_note.h)
};

enum class JobFate {
  kDone,
  kStopped,  // on request
  kFailed,   // would fail again
  kLost,     // worth a restart
};

// Decides from the starter's exit code, which is that of the first worker that failed, and from what was seen on the
// way.
JobFate judge(const JobEnd& end);

// The workers stopped on request, and worker 0 has already reported it.
bool has_reported_stop(const JobEnd& end);

// Runs the starter to its end. Lines of worker 0 appear as they are, its status line is drawn, and lines of the others
// appear as "[1 b] line" on stderr.
//
// A signal asks the workers to save and exit (the starter forwards what stands for it to all of them) as soon as all
// have started; if they have not 10 s later, or at a second signal, they are terminated, and killed after another 10 s.
//
// A start that makes no progress for `start_timeout` is ended: a worker of it is lost.
JobEnd run_job(const Starter& starter, const JobSettings& job, const std::vector<Host>& hosts,
               const StopSignals& signals, std::chrono::seconds start_timeout);

}  // namespace verbund
