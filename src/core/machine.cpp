// SPDX-License-Identifier: Apache-2.0
#include "core/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/control_groups.h"

namespace verbund {
namespace {

// The value of "model name	: AMD EPYC 9R14", of the first core.
std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string system_name() {
  utsname name = {};
  ::uname(&name);
  return std::string(name.sysname) + " " + name.release;
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

int machine_cores() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

int usable_cores() { return std::max(1, static_cast<int>(std::ceil(std::min<double>(machine_cores(), cpu_quota())))); }

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) cores.push_back(i);
    }
    return cores;
  }
  const auto online = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));  // more cores than a cpu_set_t has
  for (int i = 0; i < online; ++i) cores.push_back(i);
  return cores;
}

int thread_count(int64_t threads) {
  return threads > 0 ? static_cast<int>(threads) : std::min(static_cast<int>(allowed_cores().size()), usable_cores());
}

Machine this_machine() {
  const auto memory = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return {host_name(), processor_name(), machine_cores(), memory, system_name()};
}

Json to_json(const Machine& machine) {
  return {{"host", machine.host},
          {"processor", machine.processor},
          {"cores", machine.cores},
          {"memory_bytes", machine.memory_bytes},
          {"system", machine.system}};
}

}  // namespace verbund
