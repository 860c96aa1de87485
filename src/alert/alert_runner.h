// SPDX-License-Identifier: Apache-2.0
// AlertRunner is the process that runs the command of AlertCommand: one at a time, each within a time limit, with its
// output in the run's log.txt. It reads the messages of the training on its stdin.
// If the stream ends without a last message, the run counts as lost.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>

#include "alert/alert_command.h"

namespace verbund {

class AlertRunner {
 public:
  AlertRunner(std::string command, const AlertLimits& limits) : command_(std::move(command)), limits_(limits) {}

  // Runs until the training has ended and all alerts are reported. Returns the exit code.
  int run();

 private:
  struct Waiting {
    Alert alert;
    int64_t step = 0;
  };

  void listen(int milliseconds);
  void hear(const Json& message);
  void hear_end();
  void add(Waiting alert);
  void start_next();
  void watch_command();
  void finish(const std::string& how, bool failed);
  void log(const std::string& text) const;
  void complain(const std::string& text) const;

  const std::string command_;
  const AlertLimits limits_;
  std::filesystem::path run_;
  int64_t step_ = 0;
  double heard_ = 0;
  bool begun_ = false, ended_ = false, closed_ = false, quiet_ = false;
  std::deque<Waiting> waiting_;  // the first one is being told if a command runs
  std::unique_ptr<ChildProcess> running_;
  double started_ = 0;
  std::string output_;
};

}  // namespace verbund
