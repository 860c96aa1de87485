// SPDX-License-Identifier: Apache-2.0
// WatchedRun is a run folder that is watched: its metrics, history and step records grow by what was appended, its
// small files are read again when they change. A file that is missing, damaged or half-written is not an error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alert/worker_step_times.h"
#include "board/file_tail.h"
#include "board/run_state.h"
#include "board/step_phases.h"
#include "config/config.h"
#include "core/json.h"
#include "record/metrics_reader.h"
#include "report/run_data.h"

namespace verbund {

// An event of the run that charts mark.
struct RunMark {
  std::string kind;  // "resume", "roll_back", "best", "diverged", "lost_worker"
  int64_t step = 0;
  double at = kNotKnown;
  std::string text;
};

class WatchedRun {
 public:
  WatchedRun(fs::path folder, std::string name);

  // Reads what has changed. `now`: seconds since 1970. Returns whether anything has.
  bool refresh(double now);
  // The same for the step records of all workers, which only some pages need.
  void refresh_steps();

  const fs::path& folder() const { return folder_; }
  const std::string& name() const { return name_; }
  uint64_t version() const { return version_; }  // rises with every change
  RunState state() const { return state_; }
  const RunSigns& signs() const { return signs_; }
  double last_sign() const { return last_sign_; }  // of life, seconds since 1970; NaN: none

  const MetricTable& training() const { return metrics_.training; }
  const MetricTable& evaluations() const { return metrics_.evaluations; }
  const std::optional<Config>& config() const { return config_; }
  const Json& settings() const { return settings_; }  // flat; empty without a configuration
  const std::vector<StartFacts>& starts() const { return record_.starts; }
  const std::vector<HostFacts>& hosts() const { return record_.hosts; }
  const std::map<int, StepPhases>& phases() const { return phases_; }
  std::vector<RunMark> marks() const;  // by rising step
  bool is_stalled() const { return stalled_; }
  const std::string& stall() const { return stall_; }            // what the watchdog said
  const std::string& divergence() const { return divergence_; }  // why training diverges, if it does
  const std::vector<WorkerStepTime>& step_times() const;         // of the last steps

  int workers() const;  // of the last start; 0: not known
  int64_t step() const { return signs_.step; }
  int64_t last_step() const { return signs_.last_step; }  // of the whole run; 0: not known
  double seconds_left() const;                            // NaN: not known, or not running
  std::string loss_key() const;                           // of training; "" without one
  std::string worker_name(int rank) const { return record_.worker_name(rank); }

 private:
  struct Rank {
    FileTail tail;
    bool damaged = false;  // it has another header
  };
  struct Stamp {
    int64_t time = 0;
    uint64_t size = 0;
    bool operator==(const Stamp&) const = default;
  };

  bool has_changed(const char* file);
  void read_record();
  void read_config();
  void take_event(const Json& line);
  void find_life(double now);
  void judge();

  fs::path folder_;
  std::string name_;
  uint64_t version_ = 0;
  FileTail metrics_tail_, history_tail_;
  MetricsReader metrics_;
  RunData record_;  // run.json alone
  std::optional<Config> config_;
  Json settings_ = Json::object();
  std::vector<RunMark> marks_;  // of the history
  bool diverged_ = false, stalled_ = false;
  std::string stall_, divergence_;
  std::map<std::string, Stamp> stamps_;
  std::map<int, Rank> ranks_;
  std::map<int, StepPhases> phases_;
  RunSigns signs_;
  RunState state_ = RunState::kUnclear;
  mutable std::vector<WorkerStepTime> step_times_;
  mutable uint64_t step_times_version_ = 0;  // as of which they were read
  double last_sign_ = kNotKnown, asked_lock_ = -1e18;
};

}  // namespace verbund
