// SPDX-License-Identifier: Apache-2.0
// TensorBoardWriter is worker 0's observer that writes TensorBoard events while a run trains. It never fails the run:
// the first failure is a warning, and after it nothing more is written.
#pragma once

#include <atomic>

#include "config/config.h"
#include "core/json.h"
#include "record/run_observer.h"
#include "tensorboard/tensorboard_run.h"

namespace verbund {

class TensorBoardWriter final : public RunObserver {
 public:
  // `folder`: the run's. The configuration and the number of workers are shown in the table of runs.
  TensorBoardWriter(const fs::path& folder, const Config& config, int workers);

  void begin(int64_t step) override;
  void evaluation(const EvaluationSeen& seen) override;
  void metrics(const Json& line) override;
  void event(const RunEvent& event) override;
  void end() override;

 private:
  template <typename Work>
  void unless_failed(Work work);

  fs::path folder_;
  TensorBoardRun run_;
  bool failed_ = false, begun_ = false;
  std::atomic<bool> finished_ = false;  // events may come from another thread
};

}  // namespace verbund
