// SPDX-License-Identifier: Apache-2.0
// ResourceSampler is every worker's observer that samples resources once a second, on its own thread: those of the
// worker, and on the first worker of a host those of the host. The rows go to worker 0 (resources/rank-N.start-K.bin).
#pragma once

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "control/clock_estimator.h"
#include "core/elapsed.h"
#include "record/record_message.h"
#include "resources/resource_source.h"

namespace verbund {

// ClockNotes decides when a worker's clock offset is noted in the history: when it becomes known, and whenever it
// disagrees with the last note.
class ClockNotes {
 public:
  bool is_news(const ClockOffset& now) {
    if (!std::isfinite(now.offset) || !std::isfinite(now.bound)) return false;
    if (noted_ && std::abs(now.offset - noted_->offset) <= std::max(now.bound, noted_->bound)) return false;
    noted_ = now;
    return true;
  }

 private:
  std::optional<ClockOffset> noted_;
};

class ResourceSampler final : public RunObserver {
 public:
  // Samples now, and then every `interval` seconds. A host is sampled by its first worker.
  explicit ResourceSampler(const RecordPost& post)
      : ResourceSampler(post, resource_sources(post.self.local_rank == 0)) {}
  ResourceSampler(RecordPost post, std::vector<ResourceSource> sources, double interval = 1);
  ~ResourceSampler() override { stop(); }
  ResourceSampler(const ResourceSampler&) = delete;
  ResourceSampler& operator=(const ResourceSampler&) = delete;

  // A run may be over, or killed, before the first interval is: the first row is taken at a pause, if none is yet.
  void pause() override;
  void end() override { stop(); }

 private:
  static constexpr double kShortestRow = 0.1;  // seconds; the system counts CPU time in hundredths of one

  // Rows are useless without their header, and a message may be lost: the header is sent repeatedly.
  static constexpr size_t kRowsPerHeader = 60;

  void run(double interval);
  void take_sample();
  void note_clock();
  void stop();

  const RecordPost post_;
  const std::vector<ResourceSource> sources_;
  const ResourceHeader header_;
  Rates rates_;
  ClockNotes clock_notes_;
  const double began_ = monotonic_seconds();
  size_t rows_ = 0;
  std::mutex sampling_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

// The offset of this worker's clock from worker 0's, and its error bound.
ResourceSource clock_source(std::function<ClockOffset()> clock);

}  // namespace verbund
