// SPDX-License-Identifier: Apache-2.0
#include "core/control_groups.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>

namespace verbund {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Version 2 has "200000 100000" or "max 100000" in one file; version 1 has two files, and -1 for no limit.
double cores_of(const fs::path& group) {
  double quota = 0, period = 0;
  if (std::ifstream file(group / "cpu.max"); file >> quota >> period) {
    return quota > 0 && period > 0 ? quota / period : kNoLimit;
  }
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : kNoLimit;
}

// Version 2 writes "max" for no limit, version 1 a number that no machine has.
double memory_of(const fs::path& group) {
  double limit = 0, used = 0, droppable = 0;
  const bool second = static_cast<bool>(std::ifstream(group / "memory.max") >> limit);
  if (!second && !(std::ifstream(group / "memory.limit_in_bytes") >> limit)) return kNoLimit;
  std::ifstream(group / (second ? "memory.current" : "memory.usage_in_bytes")) >> used;
  std::ifstream file(group / "memory.stat");
  double value = 0;
  for (std::string key; file >> key >> value;) {
    if (key == (second ? "inactive_file" : "total_inactive_file")) droppable = value;
  }
  return std::max(0.0, limit - used + droppable);
}

using LimitOf = std::function<double(const fs::path&)>;

// A limit of a group holds for all groups in it. Inside a container the path may name folders that only the host has.
double limit_up_to(const fs::path& root, fs::path group, const LimitOf& limit_of) {
  double limit = limit_of(root);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    limit = std::min(limit, limit_of(root / group));
  }
  return limit;
}

// `groups` has lines "0::/path" (version 2) or "4:cpu,cpuacct:/path" (version 1).
double smallest_limit(const fs::path& root, const std::string& groups, const std::string& controller,
                      const LimitOf& limit_of) {
  double limit = kNoLimit;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) {
      limit = std::min(limit, limit_up_to(root, path, limit_of));
    } else if (("," + controllers + ",").find("," + controller + ",") != std::string::npos) {
      limit = std::min(
          {limit, limit_up_to(root / controller, path, limit_of), limit_up_to(root / controllers, path, limit_of)});
    }
  }
  return limit;
}

std::string own_groups() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* kRoot = "/sys/fs/cgroup";

}  // namespace

double cpu_quota(const fs::path& root, const std::string& groups) {
  return smallest_limit(root, groups, "cpu", cores_of);
}

uint64_t memory_left_in_groups(const fs::path& root, const std::string& groups) {
  const double left = smallest_limit(root, groups, "memory", memory_of);
  return left < 1e18 ? static_cast<uint64_t>(left) : UINT64_MAX;
}

double cpu_quota() { return cpu_quota(kRoot, own_groups()); }
uint64_t memory_left_in_groups() { return memory_left_in_groups(kRoot, own_groups()); }

}  // namespace verbund
