#include "cli/examination.h"

#include <chrono>

#include "collectives/mpi_transport.h"
#include "core/file.h"
#include "doctor/examine.h"

namespace verbund {
namespace {

// Beyond the time that workers have to find each other: for mpirun itself, and the daemons on other hosts.
constexpr int kSecondsForMpirun = 15;
std::chrono::seconds patience() { return std::chrono::seconds(start_seconds() + kSecondsForMpirun); }

// This program again, told to hand its facts to us.
std::vector<std::string> worker_program(const Training& training) {
  std::vector<std::string> program = {fs::read_symlink("/proc/self/exe"), "doctor", "--facts"};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) program.push_back(fmt::format("{}={}", flag, value));
  };
  add("--config", training.config_file);
  for (const std::string& value : training.overrides) add("--set", value);
  add("--data", training.data);
  add("--run", training.run);
  return program;
}

}  // namespace

Facts examine_from_outside(HostFlags& flags, const std::vector<Host>& hosts, const Training& training) {
  flags.job.program = worker_program(training);
  flags.complete_job(hosts);
  return examine_hosts(flags.job, hosts, patience());
}

}  // namespace verbund
