// Every worker's: one record for each step (steps/rank-N.bin), and traces of some steps' buckets (exchange.jsonl). They
// go to worker 0 in batches, about twice a second, so that a worker that dies leaves nearly all it did.
#pragma once

#include "record/record_post.h"
#include "record/run_observer.h"

namespace verbund {

class StepRecorder final : public RunObserver {
 public:
  static constexpr size_t kMostRecords = 64;
  static constexpr double kMostSeconds = 0.5;

  explicit StepRecorder(RecordPost post) : post_(std::move(post)), posted_at_(post_.now()) {}

  void step(const StepSeen& seen) override;
  // Something else than a step may take long: what is known is told before.
  void pause() override { tell(); }
  void end() override { tell(); }

 private:
  void tell();

  const RecordPost post_;
  StepBatch batch_;
  double posted_at_;
};

}  // namespace verbund
