#include "launch/restart_policy.h"

#include <csignal>

namespace verbund {

bool has_said_so(const JobEnd& end) {
  const int signal = end.exit_code - 128;
  return end.stop_requests == 1 && (signal == SIGINT || signal == SIGTERM || signal == SIGHUP);
}

JobFate judge(const JobEnd& end) {
  if (end.exit_code == 0) return JobFate::kDone;
  if (end.stop_requests > 1) return JobFate::kStopped;  // by force: the code says nothing
  if (end.stop_requests == 1) {
    // SIGUSR1 itself ends workers that had not come far enough to save anything.
    const int signal = end.exit_code - 128;
    return has_said_so(end) || signal == SIGUSR1 ? JobFate::kStopped : JobFate::kFailed;
  }
  if (end.cannot_start) return JobFate::kFailed;
  if (end.lost_host || end.from_outside) return JobFate::kLost;
  switch (end.exit_code) {
    case 1:    // the work failed for good: divergence, a full disk, damaged data
    case 2:    // the call was wrong
    case 127:  // there is no mpirun
      return JobFate::kFailed;
    default:
      return JobFate::kLost;
  }
}

}  // namespace verbund
