// Every worker's, if a timeline is wanted (train.timeline): sends worker 0 what it does in those steps, and in the
// evaluations and saves among them.
#pragma once

#include "config/number.h"
#include "record/record_post.h"
#include "record/run_observer.h"

namespace verbund {

class TimelineRecorder final : public RunObserver {
 public:
  TimelineRecorder(StepWindow window, RecordPost post) : window_(window), post_(std::move(post)) {}

  void begin(int64_t step) override { over_ = step >= window_.last; }
  void step(const StepSeen& seen) override;
  void event(const RunEvent& happened) override;
  void end() override { tell_the_end(); }

 private:
  void tell_the_end();

  const StepWindow window_;
  const RecordPost post_;
  bool over_ = false;  // the end has been told, or nothing will be
};

}  // namespace verbund
