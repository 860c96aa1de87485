// SPDX-License-Identifier: Apache-2.0
#include "launch/mpirun_starter.h"

#include <filesystem>

#include "core/error.h"
#include "launch/mpirun_output.h"

namespace verbund {

MpirunStarter::MpirunStarter(MpirunSettings settings)
    : settings_(std::move(settings)), agent_(split_words(settings_.rsh_agent.empty() ? "ssh" : settings_.rsh_agent)) {
  if (agent_.empty()) {
    fail_usage("--rsh \"{}\" is blank: give a command such as ssh, or omit it", settings_.rsh_agent);
  }
  // Nobody can type a password, here or when mpirun starts its daemons.
  if (std::filesystem::path(agent_.front()).filename() == "ssh") {
    agent_.insert(agent_.end(), {"-x", "-o", "BatchMode=yes"});
    agent_.insert(agent_.end(), {"-o", "ServerAliveInterval=10"});  // a host that is cut off is noticed after 30 s
  }
}

std::vector<std::string> MpirunStarter::command(const JobSettings& job, const std::vector<Host>& hosts) const {
  return mpirun_command(settings_, job, hosts);
}

std::vector<std::string> MpirunStarter::on_host(const std::string& host) const {
  std::vector<std::string> words = agent_;
  words.push_back(host);
  return words;
}

std::unique_ptr<WorkerLines> MpirunStarter::lines(WorkerLines::Sink sink) const {
  return std::make_unique<TaggedOutput>(std::move(sink));
}

std::unique_ptr<StarterNotices> MpirunStarter::notices(const std::vector<Host>& hosts) const {
  return std::make_unique<MpirunNotices>(hosts);
}

std::string MpirunStarter::advice_for_silent_host() const {
  return fmt::format("This must work without a password: {} HOST true",
                     settings_.rsh_agent.empty() ? "ssh" : settings_.rsh_agent);
}

std::string MpirunStarter::advice_if_missing() const { return "is Open MPI installed (Debian: openmpi-bin)?"; }

}  // namespace verbund
