// SPDX-License-Identifier: Apache-2.0
#include "record/step_recorder.h"

#include "record/exchange_trace.h"

namespace verbund {
namespace {

StepRecord record_of(const StepSeen& seen, uint32_t start) {
  const StepTimes& times = seen.times;
  return {.step = seen.step,
          .began = seen.began,
          .seconds = static_cast<float>(times.seconds),
          .waited = static_cast<float>(times.waited),
          .compute = static_cast<float>(times.compute),
          .exposed = static_cast<float>(times.exposed),
          .update = static_cast<float>(times.update),
          .exchange = static_cast<float>(times.exchange),
          .bytes = times.bytes,
          .tokens = static_cast<uint32_t>(seen.own.tokens),
          .loss = static_cast<float>(seen.own.mean()),
          .start = start,
          .flags = (times.tuning ? uint32_t{kTuningBuckets} : 0) | (seen.updated ? 0 : uint32_t{kNotUpdated})};
}

}  // namespace

void StepRecorder::step(const StepSeen& seen) {
  batch_.records.push_back(record_of(seen, post_.start));
  if (is_traced(seen.step, seen.times) && seen.times.buckets.size() <= StepTrace::kMaxBuckets) {
    post_.post(StepTrace{StepTrace::kExchange, seen.step, post_.start, seen.began, seen.times});
  }
  if (batch_.records.size() >= kMaxRecords || post_.now() - posted_at_ >= kMaxSeconds) send();
}

void StepRecorder::send() {
  posted_at_ = post_.now();
  if (batch_.records.empty()) return;
  post_.post(batch_);
  batch_.records.clear();
}

void TimelineRecorder::step(const StepSeen& seen) {
  if (window_.contains(seen.step)) {
    post_.post(StepTrace{StepTrace::kTimeline, seen.step, post_.start, seen.began, seen.times});
  }
  // Ends after the last step, not at it: an evaluation or a save may follow it.
  if (seen.step > window_.last) send_end();
}

void TimelineRecorder::event(const RunEvent& happened) {
  if (!window_.contains(happened.step) || (happened.event != "evaluation" && happened.event != "save")) return;
  const auto began = happened.details.find("began"), seconds = happened.details.find("seconds");
  const bool timed = began != happened.details.end() && began->is_number() && seconds != happened.details.end() &&
                     seconds->is_number();
  if (timed) post_.post(TimelineSpan{happened.event, happened.step, *began, *seconds});
}

void TimelineRecorder::send_end() {
  if (std::exchange(over_, true) || window_.empty()) return;
  post_.post(TimelineOver{});
}

}  // namespace verbund
