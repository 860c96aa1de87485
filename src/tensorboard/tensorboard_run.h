// SPDX-License-Identifier: Apache-2.0
// TensorBoardRun writes the event files of a run, while it trains or afterwards from its folder. A resumed run adds a
// file and retracts what was undone (written_events.h).
#pragma once

#include <optional>
#include <set>

#include "core/json.h"
#include "tensorboard/event_file.h"
#include "tensorboard/metric_tags.h"
#include "tensorboard/plugin_values.h"

namespace verbund {

class TensorBoardRun {
 public:
  // `settings`: a flat object, for the table of runs.
  TensorBoardRun(fs::path folder, Json settings) : folder_(std::move(folder)), settings_(std::move(settings)) {}

  // Called first, and again after a roll-back: begins a file for the steps after this one; -1: the run is new. Times
  // are seconds since 1970.
  void begin(int64_t step, double time);
  // Adds a line of metrics.jsonl. `time` is used if the line has none.
  void add_line(const Json& line, double time);
  void add_samples(int64_t step, double time, const std::vector<TranslationSample>& samples);
  // The whole run has finished, not only this part of it.
  void add_end(double time);

  void flush() { file_->flush(); }
  void sync() { file_->sync(); }

 private:
  void add(int64_t step, double time, std::vector<EventValue> values);

  fs::path folder_;
  Json settings_;
  std::optional<EventFile> file_;
  BestSoFar best_;
  std::set<std::string> written_;  // tags that have a value
};

struct ExportedRun {
  size_t lines = 0, damaged = 0;  // of metrics.jsonl
};

// Adds the lines of steps up to `last_step`, with the samples of their evaluations. Can be interrupted.
ExportedRun add_run(const fs::path& run_folder, int64_t last_step, TensorBoardRun& run);

// Creates a folder with the events of the run.
ExportedRun export_to_tensorboard(const fs::path& run_folder, const fs::path& out);

}  // namespace verbund
