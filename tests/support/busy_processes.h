// SPDX-License-Identifier: Apache-2.0
// BusyProcesses starts other processes, which compute until it is destroyed.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace verbund {

class BusyProcesses {
 public:
  explicit BusyProcesses(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const pid_t process = ::fork();
      if (process == 0) {
        for (volatile size_t work = 0;;) work = work + 1;
      }
      EXPECT_GT(process, 0);
      if (process > 0) processes_.push_back(process);
    }
  }
  ~BusyProcesses() {
    for (const pid_t process : processes_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  std::vector<pid_t> processes_;
};

}  // namespace verbund
