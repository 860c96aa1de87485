#include "record/timeline_recorder.h"

namespace verbund {

void TimelineRecorder::step(const StepSeen& seen) {
  if (window_.contains(seen.step)) {
    post_.post(StepTrace{StepTrace::kTimeline, seen.step, post_.start, seen.began, seen.times});
  }
  // Not with the last step itself: an evaluation or a save may follow it.
  if (seen.step > window_.last) tell_the_end();
}

void TimelineRecorder::event(const RunEvent& happened) {
  if (!window_.contains(happened.step) || (happened.event != "evaluation" && happened.event != "save")) return;
  const auto began = happened.details.find("began"), seconds = happened.details.find("seconds");
  const bool told = began != happened.details.end() && began->is_number() && seconds != happened.details.end() &&
                    seconds->is_number();
  if (told) post_.post(TimelineSpan{happened.event, happened.step, *began, *seconds});
}

void TimelineRecorder::tell_the_end() {
  if (std::exchange(over_, true) || window_.empty()) return;
  post_.post(TimelineOver{});
}

}  // namespace verbund
