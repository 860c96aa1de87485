#include "cli/host_flags.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "launch/network_interface.h"
#include "launch/reachable_hosts.h"

namespace verbund {

void HostFlags::declare(Options& options) {
  options.add_option("-n,--workers", workers, "Number of workers (all that the hosts take)")
      ->type_name("N")
      ->check(at_least(1));
  Option* const hosts_option =
      options.add_option("-H,--hosts", list, "Hosts, and how many workers each takes (this machine)");
  hosts_option->type_name("A:N,B:N");
  options.add_option("--hostfile", file, "The same in a file, a host per line: HOST slots=N")
      ->type_name("FILE")
      ->excludes(hosts_option);
  options.add_option("--nic", job.interface, "Network interface to train over, or a network: 10.0.0.0/24")
      ->type_name("IF");
  options.add_option("--rsh", job.rsh_agent, "Command that runs another one on a host (ssh)")->type_name("AGENT");
}

std::vector<Host> HostFlags::hosts() const {
  if (list.empty() && file.empty()) return {{"localhost", std::max(1, workers)}};
  std::vector<Host> all = file.empty() ? parse_host_list(list) : parse_host_file(read_file(file), file);
  if (workers > total_slots(all)) {
    fail_usage("-n {} asks for more workers than the hosts take, which is {}: {}.\nGive a host more, as in -H a:{}",
               workers, total_slots(all), describe_hosts(all), workers);
  }
  return all;
}

void HostFlags::complete_job(const std::vector<Host>& used) {
  check_interfaces(job.interface);
  rsh_command(job.rsh_agent);  // refuses a blank one
  job.environment = passed_variables(environ);
  job.folder = fs::current_path();
  job.as_root = ::geteuid() == 0;
  job.share_cores = std::any_of(used.begin(), used.end(), is_crowded);
}

bool is_crowded(const Host& host) {
  return host.slots > static_cast<int>(std::thread::hardware_concurrency()) && is_this_machine(host.name);
}

}  // namespace verbund
