// history.jsonl: a line for each event of the run, only ever appended to. Worker 0 writes it; what happened to another
// worker alone is sent to it.
#pragma once

#include <atomic>

#include "core/append_file.h"
#include "record/record_post.h"
#include "record/run_observer.h"

namespace verbund {

// Worker 0's; by any thread.
class HistoryWriter final : public RunObserver {
 public:
  // `post` says who writes, at which start of the run, and what time it is.
  HistoryWriter(const std::filesystem::path& run, RecordPost post);

  void begin(int64_t step) override { step_ = std::max<int64_t>(0, step); }
  void step(const StepSeen& seen) override { step_ = seen.step; }
  void event(const RunEvent& happened) override { add(post_.self, post_.now(), happened); }
  // Of any worker; `at`: on the clock of worker 0.
  void add(const Worker& worker, double at, const RunEvent& happened);

 private:
  const RecordPost post_;
  AppendFile file_;
  std::atomic<bool> warned_ = false;
  std::atomic<int64_t> step_ = 0;  // steps done: the watch does not know
};

}  // namespace verbund
