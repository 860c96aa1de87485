// SPDX-License-Identifier: Apache-2.0
// AlertWatch is worker 0's observer that looks for alerts while a run trains, and passes each to a command: once per
// alert until it clears.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "alert/alert_command.h"
#include "record/metrics_reader.h"
#include "record/run_observer.h"

namespace verbund {

class AlertWatch final : public RunObserver {
 public:
  static constexpr double kSecondsUntilGone = 60;  // without an alert, until it counts as new

  struct Watched {
    std::filesystem::path folder;
    uint32_t start = 0;                // number of this start of the run
    std::vector<std::string> workers;  // names, by rank; none: steps are not recorded
  };

  // The command must outlive this.
  AlertWatch(AlertCommand& command, Watched watched, double seconds_between_looks = 2);
  ~AlertWatch() override;
  AlertWatch(const AlertWatch&) = delete;
  AlertWatch& operator=(const AlertWatch&) = delete;

  void begin(int64_t step) override;
  void step(const StepSeen& seen) override { step_ = seen.step; }
  void metrics(const Json& line) override;
  void event(const RunEvent& happened) override;
  void end() override;

 private:
  void look_now_and_then();
  void look();  // with mutex_ held
  void tell(const std::vector<Alert>& alerts);
  void stop();

  AlertCommand& command_;
  const Watched watched_;
  const double between_;
  std::atomic<int64_t> step_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable stopped_;
  bool stop_ = false;
  MetricsReader metrics_;
  std::string stall_, divergence_;
  std::string end_, end_reason_;        // as in AlertFigures
  std::map<std::string, double> told_;  // kind -> when it was seen last
  std::thread looking_;
};

}  // namespace verbund
