// SPDX-License-Identifier: Apache-2.0
// supervise() starts a job and restarts it from its newest checkpoint when a worker or a host is lost.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "launch/copy_list.h"
#include "launch/host_source.h"
#include "launch/starter.h"

namespace verbund {

struct LaunchSettings {
  std::shared_ptr<const Starter> starter;
  JobSettings job;
  std::vector<Host> hosts;                   // all that may be used; those beyond `workers` are spare
  std::shared_ptr<const HostSource> source;  // where to read them again at each restart; nothing: they stay the same
  std::vector<CopyFile> copies;              // what hosts get that do not have it
  int workers = 1;                           // of the first start
  bool fixed_workers = false;                // no more at a restart, whatever slots there are
  int min_workers = 1;                       // continue with fewer when a host does not come back
  int min_hosts = 1;
  int max_restarts = 0;
  std::chrono::seconds start_timeout{120};  // without progress of any worker
  std::chrono::seconds wait_at_start{0};    // for hosts that do not answer yet, before the first start ...
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();  // ... from this moment on
  std::chrono::seconds wait_for_hosts{30};  // at a restart, before continuing without a host
};

// Returns when the job is done. Throws `Interrupted` if it was asked to stop, else an `Error` with the exit code of the
// job; 3 if it was lost more often than it may be restarted.
void supervise(const LaunchSettings& settings);

}  // namespace verbund
