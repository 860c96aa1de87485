// SPDX-License-Identifier: Apache-2.0
// Control groups are how a container, a batch system or systemd limits the processor time and the memory of processes.
// Both versions of them are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace verbund {

// How many cores' time the control groups of this process may use together, such as 1.5; infinity without a limit.
double cpu_quota();

// The bytes of memory that its control groups leave it, page cache that can be dropped included; UINT64_MAX without a
// limit.
uint64_t memory_left_in_groups();

// The same for a process whose /proc/PID/cgroup has this text, with the control groups mounted at `root`.
double cpu_quota(const std::filesystem::path& root, const std::string& groups);
uint64_t memory_left_in_groups(const std::filesystem::path& root, const std::string& groups);

}  // namespace verbund
