// SPDX-License-Identifier: Apache-2.0
// MpiJobFlags are the flags of launch that print a job for Kubernetes instead of starting one.
#pragma once

#include <string>
#include <vector>

#include "cli/host_flags.h"
#include "cli/options.h"
#include "launch/mpijob.h"

namespace verbund {

class MpiJobFlags {
 public:
  void declare(Options& options);
  // Whether a job is to be printed. Refuses the other flags alone.
  bool given() const;

  // The YAML of the job whose workers run `command`. `launch` are launch's own arguments that the job's launcher gets
  // as well; the hosts come from the operator.
  std::string print(const HostFlags& hosts, std::vector<std::string> launch, const Arguments& command) const;
  int pods(const HostFlags& hosts) const { return hosts.workers / job_.slots; }

 private:
  MpiJob job_;
  bool given_ = false;
};

}  // namespace verbund
