// Keeps what every evaluation has found for each sentence: evaluations/ in the run folder. What cannot be written is
// said and lost; training goes on.
#pragma once

#include <filesystem>

#include "record/run_observer.h"

namespace verbund {

class EvaluationKeeper : public RunObserver {
 public:
  explicit EvaluationKeeper(std::filesystem::path run) : run_(std::move(run)) {}

  void begin(int64_t step) override;
  void evaluation(const EvaluationSeen& seen) override;

 private:
  void keep_dev(const TestSet& set);

  std::filesystem::path run_;
  bool dev_is_kept_ = false;
};

}  // namespace verbund
