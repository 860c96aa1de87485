// Whether a job that has ended is worth another start: decided from mpirun's exit code, which is
// that of the first worker that failed, and from what was seen on the way.
#pragma once

#include <string>

namespace verbund {

struct JobEnd {
  int exit_code = 0;
  std::string reason;         // "worker 1 on b was killed by signal 9 (Killed)"
  int stop_requests = 0;      // signals that this program got while the job ran
  int stop_signal = 0;        // the first of them
  bool lost_host = false;     // mpirun could not start or reach its daemon on a host
  bool cannot_start = false;  // the program or folder is missing on a host
  bool from_outside = false;  // somebody ended mpirun itself, which then ends with exit code 1
};

enum class JobFate {
  kDone,
  kStopped,  // as we were asked to
  kFailed,   // would fail again
  kLost,     // worth a restart
};

JobFate judge(const JobEnd& end);

// The workers heard that they were to stop, and worker 0 has told how it went.
bool has_said_so(const JobEnd& end);

}  // namespace verbund
