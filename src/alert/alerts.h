// SPDX-License-Identifier: Apache-2.0
// Alerts are the problems of a run that somebody should know about at once. A rule finds each in the run's figures.
// `board` shows them; `train --on-alert` passes them to a command. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "alert/worker_step_times.h"
#include "record/metrics_reader.h"

namespace verbund {

struct Alert {
  std::string kind;  // "diverged", "diverging", "lost", "failed", "stalled", "straggler", "disk", "no_improvement"
  std::string text;  // a sentence with its figures
};

// AlertFigures are what the rules judge. An unknown figure is empty, NaN or 0.
struct AlertFigures {
  bool running = false;
  std::string end;         // of a run that ended otherwise than it should: "diverged", "lost" or "failed"
  std::string end_reason;  // a sentence or its beginning
  int64_t step = 0;        // steps done

  std::string divergence;    // of a running run, by its guard: "the loss is not a number"
  std::vector<double> loss;  // of training, as logged
  std::string stall;         // what the watchdog says
  double quiet = 0;          // seconds without a sign of life
  std::vector<WorkerStepTime> workers;
  double disk_free = kNotKnown;  // bytes of the run's file system
  std::vector<int64_t> evaluated;
  std::vector<double> bleu;  // of these steps
};

std::vector<Alert> find_alerts(const AlertFigures& run);

constexpr double kQuietUntilStalled = 60;  // seconds
Alert lost_alert(int64_t step, const std::string& reason = "");
Alert quiet_alert(double seconds);

// Free bytes in the file system of a folder; NaN if it cannot be asked.
double free_bytes(const std::filesystem::path& folder);

// The last five are, in the mean, well above the lowest five.
bool is_diverging(const std::vector<double>& loss);

}  // namespace verbund
