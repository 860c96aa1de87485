// SPDX-License-Identifier: Apache-2.0
// Writer of metrics.jsonl, with one object per logged step or evaluation. See docs/formats.md; metrics_reader.h reads
// it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

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
// lines of steps that it computes again; an evaluation that it repeats replaces the earlier one. So the file is the
// curve of the run.
class MetricsWriter : public RunObserver {
 public:
  // `start`: number of this start of the run, from 0; part of every line.
  MetricsWriter(const std::filesystem::path& folder, int64_t start) : path_(folder / "metrics.jsonl"), start_(start) {}

  void begin(int64_t step) override;
  void metrics(const Json& line) override;

 private:
  // Rewrites the file with those of its lines that are to be kept, and opens it for more.
  void keep_lines(const std::function<bool(const Json& line)>& is_kept);
  void drop_evaluation_of_begin();

  std::filesystem::path path_;
  int64_t start_;
  int64_t begun_ = -1;  // the step that the run starts or continues after; its evaluation may be repeated
  std::unique_ptr<AppendFile> file_;
  bool warned_ = false;
};

}  // namespace verbund
