// Every worker's: what it uses, and if it is the first of its host what the host does, once a second, on a thread of
// its own. The rows go to worker 0 (resources/rank-N.start-K.bin).
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "record/clock_notes.h"
#include "resources/rates.h"
#include "record/record_post.h"
#include "record/run_observer.h"

namespace verbund {

class ResourceSampler final : public RunObserver {
 public:
  // Samples from now on, and after every `interval` seconds. A host is sampled by its first worker.
  explicit ResourceSampler(RecordPost post) : ResourceSampler(post, resource_sources(post.self.local_rank == 0)) {}
  ResourceSampler(RecordPost post, std::vector<ResourceSource> sources, double interval = 1);
  ~ResourceSampler() override { stop(); }
  ResourceSampler(const ResourceSampler&) = delete;
  ResourceSampler& operator=(const ResourceSampler&) = delete;

  void end() override { stop(); }

 private:
  // Rows without a header are worth nothing, and a message may be lost: it is told again and again.
  static constexpr size_t kRowsPerHeader = 60;

  void run(double interval);
  void sample();
  void note_clock();
  void stop();

  const RecordPost post_;
  const std::vector<ResourceSource> sources_;
  const ResourceHeader header_;
  Rates rates_;
  ClockNotes clock_notes_;
  size_t rows_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

// How far this worker's clock is from worker 0's, and to how many seconds that is known.
ResourceSource clock_source(std::function<ClockOffset()> clock);

}  // namespace verbund
