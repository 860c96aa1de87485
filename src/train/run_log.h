// SPDX-License-Identifier: Apache-2.0
// RunLog writes the lines of a run to the console and to log.txt; LiveStatus keeps its status line moving.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "core/append_file.h"
#include "core/log.h"
#include "core/status.h"
#include "core/terminal.h"

namespace verbund {

class RunLog {
 public:
  static constexpr size_t kColumns = 100;

  // Appends to the log.txt of an earlier part of the run.
  explicit RunLog(const std::filesystem::path& folder);

  void line(const std::string& text,
            Colour colour = Colour::kNone);  // to the console and log.txt, there without colour
  void paragraph(const std::string& text);   // the same, wrapped at 100 columns
  void note(const std::string& text);        // to log.txt only

 private:
  AppendFile text_;
  DebugCopy debug_lines_;
  std::atomic<bool> warned_ = false;  // the watchdog logs as well
};

// The status line while training: during a long step, it shows the time that the step has taken so far.
class LiveStatus {
 public:
  LiveStatus() = default;
  ~LiveStatus();
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;

  // A step has ended.
  void show(const Status& status);
  // Something else uses the line.
  void hide();

 private:
  void tick();

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  Status status_;  // empty: hidden
  std::chrono::steady_clock::time_point since_;
  std::thread ticker_;  // from the first status on
};

}  // namespace verbund
