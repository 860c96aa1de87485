// SPDX-License-Identifier: Apache-2.0
// HostSource lists the hosts that a job may use at this moment: the content of a file, or what a command prints. Lines
// are those of a host file, see host_list.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

class HostSource {
 public:
  // A file that exists and cannot be executed is read. Everything else is a command for /bin/sh, such as the script
  // discover_hosts.sh of Kubernetes' mpi-operator.
  explicit HostSource(std::string text);

  const std::string& text() const { return text_; }

  // Reads the list. An Error tells what is wrong: a command that fails, a list that is empty or garbled. Calls `check`,
  // which may throw, while a command runs. What the command prints to stderr appears there.
  std::vector<Host> read(const std::function<void()>& check) const;

 private:
  std::string output_of_command(const std::function<void()>& check) const;

  std::string text_;
  bool is_file_;
};

}  // namespace verbund
