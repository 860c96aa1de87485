// SPDX-License-Identifier: Apache-2.0
// StepRecorder and TimelineRecorder are every worker's observers that send its steps to worker 0.
#pragma once

#include "config/number.h"
#include "record/record_message.h"

namespace verbund {

// StepRecorder sends one record per step (steps/rank-N.bin), and traces of the buckets of some steps (exchange.jsonl).
// They go in batches, about twice a second, so that a worker that dies leaves nearly all of its steps.
class StepRecorder final : public RunObserver {
 public:
  static constexpr size_t kMaxRecords = 64;
  static constexpr double kMaxSeconds = 0.5;

  explicit StepRecorder(RecordPost post) : post_(std::move(post)), posted_at_(post_.now()) {}

  void step(const StepSeen& seen) override;
  // What follows may take long: sends what is known.
  void pause() override { send(); }
  void end() override { send(); }

 private:
  void send();

  const RecordPost post_;
  StepBatch batch_;
  double posted_at_;
};

// TimelineRecorder sends the steps of train.timeline, and the evaluations and saves among them.
class TimelineRecorder final : public RunObserver {
 public:
  TimelineRecorder(StepWindow window, RecordPost post) : window_(window), post_(std::move(post)) {}

  void begin(int64_t step) override { over_ = step >= window_.last; }
  void step(const StepSeen& seen) override;
  void event(const RunEvent& happened) override;
  void end() override { send_end(); }

 private:
  void send_end();

  const StepWindow window_;
  const RecordPost post_;
  bool over_ = false;  // the end was sent, or nothing will be
};

}  // namespace verbund
