// SPDX-License-Identifier: Apache-2.0
#include "core/cpu_quota.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace verbund {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Version 2 has "200000 100000" or "max 100000" in one file; version 1 has two files, and -1 for no limit.
double limit_of(const std::filesystem::path& group) {
  double quota = 0, period = 0;
  if (std::ifstream file(group / "cpu.max"); file >> quota >> period) {
    return quota > 0 && period > 0 ? quota / period : kNoLimit;
  }
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : kNoLimit;
}

// A limit of a group holds for all groups in it. Inside a container the path may name folders that only the host has.
double limit_up_to(const std::filesystem::path& root, std::filesystem::path group) {
  double limit = limit_of(root);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    limit = std::min(limit, limit_of(root / group));
  }
  return limit;
}

}  // namespace

double cpu_quota(const std::filesystem::path& root, const std::string& groups) {
  double limit = kNoLimit;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // "0::/path" (version 2) or "4:cpu,cpuacct:/path" (version 1)
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) {
      limit = std::min(limit, limit_up_to(root, path));
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      limit = std::min({limit, limit_up_to(root / "cpu", path), limit_up_to(root / controllers, path)});
    }
  }
  return limit;
}

double cpu_quota() {
  std::ifstream file("/proc/self/cgroup");
  return cpu_quota("/sys/fs/cgroup", {std::istreambuf_iterator<char>(file), {}});
}

}  // namespace verbund
