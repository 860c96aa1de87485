// SPDX-License-Identifier: Apache-2.0
// cpu_quota is the limit of processor time that a container, a batch system or systemd sets through control groups.
#pragma once

#include <filesystem>
#include <string>

namespace verbund {

// How many cores' time the control groups of this process may use together, such as 1.5; infinity without a limit.
// Both versions of control groups are read.
double cpu_quota();

// The same for a process whose /proc/PID/cgroup has this text, with the control groups mounted at `root`.
double cpu_quota(const std::filesystem::path& root, const std::string& groups);

}  // namespace verbund
