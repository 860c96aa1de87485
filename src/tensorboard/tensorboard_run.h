// A run as TensorBoard shows it: the event files of one folder, written as the run goes, or all at once from what an
// earlier one has left. A run that goes on adds a file, and takes back what was undone (told_events.h).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tensorboard/event_file.h"
#include "tensorboard/metric_tags.h"
#include "tensorboard/sample_text.h"

namespace verbund {

class TensorBoardRun {
 public:
  using Json = nlohmann::ordered_json;

  // `settings`: a flat object, for the table of runs.
  TensorBoardRun(fs::path folder, Json settings) : folder_(std::move(folder)), settings_(std::move(settings)) {}

  // First of all, and again after a roll-back: the run goes on after this step; -1: it is a new one. Begins a file.
  // Times are seconds since 1970.
  void begin(int64_t step, double time);
  // A line of metrics.jsonl. `time` holds if it has none.
  void add_line(const Json& line, double time);
  void add_samples(int64_t step, double time, const std::vector<TranslationSample>& samples);
  // The run has reached its end, and not only this part of it.
  void add_end(double time);

  void flush() { file_->flush(); }
  void sync() { file_->sync(); }

 private:
  void add(int64_t step, double time, std::vector<EventValue> values);

  fs::path folder_;
  Json settings_;
  std::optional<EventFile> file_;
  BestSoFar best_;
  std::set<std::string> told_;  // tags that have a value
};

}  // namespace verbund
