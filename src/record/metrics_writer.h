// SPDX-License-Identifier: Apache-2.0
// Writer of metrics.jsonl, with one object per logged step or evaluation. See docs/formats.md; metrics_reader.h reads
// it.
#pragma once

#include <filesystem>
#include <optional>

#include "core/append_file.h"
#include "core/json.h"
#include "record/run_observer.h"

namespace verbund {

// MetricsWindow computes the means over the steps between two lines.
class MetricsWindow {
 public:
  explicit MetricsWindow(int workers) : workers_(workers) {}

  void add(const StepSeen& seen);
  // The line of the steps since the previous line; `last` is the last of them.
  Json take(const StepSeen& last);
  void forget() { sums_ = {}; }  // the steps are undone

 private:
  struct Sums {
    Loss loss;
    int64_t steps = 0;
    StepTimes times;
  };

  int workers_;
  Sums sums_;
};

// The line of an evaluation.
Json metrics_line(const EvaluationSeen& seen);

// MetricsWriter is worker 0's observer that writes metrics.jsonl. A resumed run appends to the file, after removing the
// lines of steps that it computes again: the file is the curve of the run.
class MetricsWriter : public RunObserver {
 public:
  // `start`: number of this start of the run, from 0; part of every line.
  MetricsWriter(const std::filesystem::path& folder, int64_t start) : path_(folder / "metrics.jsonl"), start_(start) {}

  void begin(int64_t step) override;
  void metrics(const Json& line) override;

 private:
  void drop_after(int64_t step) const;

  std::filesystem::path path_;
  int64_t start_;
  std::optional<AppendFile> file_;
  bool warned_ = false;
};

}  // namespace verbund
