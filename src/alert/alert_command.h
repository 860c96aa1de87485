// SPDX-License-Identifier: Apache-2.0
// AlertCommand is the command of `train --on-alert`. A separate process runs it (alert/alert_runner.h) and outlives
// this one, so that the command cannot block or end the training, and the loss of this process is reported as well.
//
//   AlertCommand command("mail -s \"$VERBUND_ALERT_TEXT\" me");   // early: the process is a small copy of this one
//   command.begin(run);
//   command.alive(step); command.tell(alert, step); ...           // never block
//   command.end();                                                // without it, the run is reported as lost
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "alert/alerts.h"
#include "core/child_process.h"
#include "core/json.h"

namespace verbund {

struct AlertLimits {
  double seconds = 60;                // for one command, which is killed then
  double quiet = kQuietUntilStalled;  // seconds without a call of alive() until the run is reported as stalled
  size_t waiting = 8;                 // alerts, while a command runs; more are dropped
};

class AlertCommand {
 public:
  explicit AlertCommand(const std::string& command, const AlertLimits& limits = {});
  ~AlertCommand();
  AlertCommand(const AlertCommand&) = delete;
  AlertCommand& operator=(const AlertCommand&) = delete;

  // Any thread may call these.
  void begin(const std::filesystem::path& run);
  void alive(int64_t step);
  void tell(const Alert& alert, int64_t step);
  void end();

  // What went wrong with the command since the last call, one sentence each.
  std::vector<std::string> take_troubles();

 private:
  void send(const Json& message) const;

  int socket_ = -1;
  std::unique_ptr<ChildProcess> runner_;
  std::string troubles_;  // an incomplete line
};

}  // namespace verbund
