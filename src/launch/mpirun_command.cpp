#include "launch/mpirun_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "core/terminal.h"

namespace verbund {
namespace {

std::string host_argument(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", host.name, host.slots);
  return text;
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
  add({"--tag-output"});       // tells whose line it is; see tagged_output.h
  if (!settings.folder.empty()) add({"--wdir", settings.folder});
  if (!settings.interface.empty()) {
    set("btl_tcp_if_include", settings.interface);  // the workers' data
    set("oob_tcp_if_include", settings.interface);  // mpirun's daemons
    // NCCL takes names, not networks; "=": this one and none that begins so.
    const std::vector<std::string>& passed = settings.environment;
    if (settings.interface.find('/') == std::string::npos &&
        std::find(passed.begin(), passed.end(), "NCCL_SOCKET_IFNAME") == passed.end()) {
      add({"-x", "NCCL_SOCKET_IFNAME==" + settings.interface});
    }
  }
  if (!settings.rsh_agent.empty()) set("plm_rsh_agent", settings.rsh_agent);
  if (settings.share_cores) set("mpi_yield_when_idle", "1");
  // A host that is cut off says nothing. Asked every 5 s once it has been silent for 10 s, it is missed
  // after 25 s; by default after 8 minutes.
  set("oob_tcp_keepalive_time", "10");
  set("oob_tcp_keepalive_intvl", "5");
  set("oob_tcp_keepalive_probes", "3");
  // When one worker has ended with an error, the others get SIGTERM, and SIGKILL so many seconds later.
  // mpirun always waits this long, about twice, so that more would make each restart slower.
  set("odls_base_sigkill_timeout", "2");
  for (const std::string& name : settings.environment) add({"-x", name});
  if (!settings.terminal.empty()) add({"-x", fmt::format("{}={}", kTerminalVariable, settings.terminal)});
  if (!settings.restart.empty()) {
    std::string value = settings.restart;
    std::replace(value.begin(), value.end(), ';', ',');  // mpirun would take what follows for another variable
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
  for (const char* own : {kTerminalVariable, kRestartVariable}) std::erase(names, own);  // are of this process alone
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string shell_line(const std::vector<std::string>& command) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace verbund
