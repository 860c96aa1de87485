// One start of a job: mpirun from its beginning to its end, and all that it leaves behind.
#pragma once

#include <string>
#include <vector>

#include "launch/host_list.h"
#include "launch/restart_policy.h"
#include "launch/stop_signals.h"

namespace verbund {

// Lines of worker 0 appear as they are, its status line is drawn, and lines of others appear as "[1 b] line" on stderr.
//
// A signal asks the workers to save and leave (mpirun passes SIGUSR1 on to all of them); a second
// one has them terminated, and 10 s later killed.
JobEnd run_job(const std::vector<std::string>& command, const std::vector<Host>& hosts, const StopSignals& signals);

}  // namespace verbund
