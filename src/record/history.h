// SPDX-License-Identifier: Apache-2.0
// Writer and reader of history.jsonl: the events of a run, over all its starts. Worker 0 writes it; events of another
// worker alone are sent to it. See docs/formats.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/append_file.h"
#include "core/json.h"
#include "record/record_message.h"

namespace verbund {

struct HistoryEvent {
  double at = 0;  // seconds since 1970 on the clock of worker 0
  std::string event;
  int rank = 0;
  std::string host;
  int64_t step = 0;
  uint32_t start = 0;
  Json line;  // the whole line, with all details
};

struct History {
  std::vector<HistoryEvent> events;  // in the order of the file
  size_t damaged = 0;                // lines without an event; an incomplete last line, of a killed run, is not counted
};

// Empty if there is no such file.
History read_history(const std::filesystem::path& path);

// HistoryWriter is worker 0's observer that appends a line per event. Any thread may call it.
class HistoryWriter final : public RunObserver {
 public:
  // `post` provides the writer, the start of the run and the time.
  HistoryWriter(const std::filesystem::path& run, RecordPost post);

  void begin(int64_t step) override { step_ = std::max<int64_t>(0, step); }
  void step(const StepSeen& seen) override { step_ = seen.step; }
  void event(const RunEvent& happened) override { add(post_.self, post_.now(), happened); }
  // Adds an event of any worker; `at`: on the clock of worker 0.
  void add(const Worker& worker, double at, const RunEvent& happened);

 private:
  const RecordPost post_;
  AppendFile file_;
  std::atomic<bool> warned_ = false;
  std::atomic<int64_t> step_ = 0;  // steps done, for events that do not know them
};

}  // namespace verbund
