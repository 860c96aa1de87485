// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_command.h"

#include <net/if.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/terminal.h"

namespace verbund {
namespace {

std::string host_argument(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", host.name, host.slots);
  return text;
}

std::string interface_names() {
  std::string names;
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> list(::if_nameindex(), ::if_freenameindex);
  for (const auto* item = list.get(); item != nullptr && item->if_name != nullptr; ++item) {
    names += (names.empty() ? "" : ", ") + std::string(item->if_name);
  }
  return names;
}

}  // namespace

std::vector<std::string> mpirun_command(const JobSettings& settings, const std::vector<Host>& hosts) {
  std::vector<std::string> command = {settings.mpirun, "-n", std::to_string(total_slots(hosts)), "-H",
                                      host_argument(hosts)};
  const auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words.begin(), words.end());
  };
  const auto set = [&](const std::string& parameter, const std::string& value) {
    const std::vector<std::string>& own = settings.mpirun_args;  // mpirun refuses a parameter with two values
    if (std::find(own.begin(), own.end(), parameter) == own.end()) add({"--mca", parameter, value});
  };

  if (settings.as_root) add({"--allow-run-as-root"});
  add({"--map-by", "slot"});   // worker 0 on the first host, and so on in the order of the list
  add({"--bind-to", "none"});  // a worker has many threads: they may use all cores
  add({"--tag-output"});       // tells which worker wrote a line; see mpirun_output.h
  if (!settings.folder.empty()) add({"--wdir", settings.folder});
  if (!settings.interface.empty()) {
    set("btl_tcp_if_include", settings.interface);  // the workers' data
    set("oob_tcp_if_include", settings.interface);  // mpirun's daemons
    // NCCL takes interface names, not networks; "=" means exactly this name, not a prefix.
    const std::vector<std::string>& passed = settings.environment;
    if (settings.interface.find('/') == std::string::npos &&
        std::find(passed.begin(), passed.end(), "NCCL_SOCKET_IFNAME") == passed.end()) {
      add({"-x", "NCCL_SOCKET_IFNAME==" + settings.interface});
    }
  }
  if (!settings.rsh_agent.empty()) set("plm_rsh_agent", settings.rsh_agent);
  if (settings.share_cores) set("mpi_yield_when_idle", "1");
  // The way in which workers of a host share memory. Where mpirun chooses, it tries another with a file in /dev/shm,
  // which stays if it is killed then.
  set("shmem", "mmap");
  // Keepalives: a host that is cut off is noticed after 25 s (10 s of silence, then 3 probes 5 s apart); by default
  // after 8 minutes.
  set("oob_tcp_keepalive_time", "10");
  set("oob_tcp_keepalive_intvl", "5");
  set("oob_tcp_keepalive_probes", "3");
  // Seconds between SIGTERM and SIGKILL for the other workers when one has failed. mpirun always waits about twice
  // this long, so a larger value makes each restart slower.
  set("odls_base_sigkill_timeout", "2");
  for (const std::string& name : settings.environment) add({"-x", name});
  if (!settings.terminal.empty()) add({"-x", fmt::format("{}={}", kTerminalVariable, settings.terminal)});
  if (!settings.restart.empty()) {
    std::string value = settings.restart;
    std::replace(value.begin(), value.end(), ';', ',');  // mpirun would parse the rest as another variable
    add({"-x", fmt::format("{}={}", kRestartVariable, value)});
  }
  command.insert(command.end(), settings.mpirun_args.begin(), settings.mpirun_args.end());
  command.insert(command.end(), settings.program.begin(), settings.program.end());
  return command;
}

std::vector<std::string> passed_variables(const char* const* environment) {
  std::vector<std::string> names;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    for (const std::string_view prefix : {"VERBUND_", "OMP_", "GOMP_", "NCCL_", "VIRTUAL_ENV=", "LD_LIBRARY_PATH="}) {
      if (variable.starts_with(prefix)) names.emplace_back(variable.substr(0, variable.find('=')));
    }
  }
  for (const char* own : {kTerminalVariable, kRestartVariable}) std::erase(names, own);  // meant for this process alone
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

void check_interfaces(const std::string& list) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    const bool is_network = item.find('/') != std::string::npos;
    if (is_network && item.find(':') != std::string::npos) {
      fail_usage(
          "--nic {}: Open MPI supports IPv4 networks only, not {}. Give the interface that has its addresses, one of "
          "{}",
          list, item, interface_names());
    }
    if (is_network || ::if_nametoindex(item.c_str()) != 0) continue;
    fail_usage(
        "--nic {}: this machine has no network interface \"{}\"; it has {}.\n"
        "Where hosts name theirs differently, give the network: --nic 10.0.0.0/24",
        list, item, interface_names());
  }
}

}  // namespace verbund
