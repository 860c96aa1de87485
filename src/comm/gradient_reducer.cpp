#include "comm/gradient_reducer.h"

#include "comm/chunks.h"

namespace verbund {

GradientReducer::GradientReducer(Workers& workers, std::span<float> gradients, const WorkersConfig& config)
    : workers_(workers),
      gradients_(gradients),
      wire_(config.wire),
      sharded_(config.shard_optimizer && workers.size() > 1),
      owned_(sharded_ ? owned_by(workers.rank(), workers.size(), gradients.size())
                      : std::vector<Interval>{{0, gradients.size()}}),
      tuner_(static_cast<size_t>(config.bucket_kb) * 1024 / sizeof(float), gradients.size()) {
  buckets_.reserve(gradients.size() / kChunk + 2);
}

GradientReducer::~GradientReducer() {
  for (std::future<void>& bucket : under_way_) {
    if (bucket.valid()) bucket.wait();
  }
}

// Since the step began.
double GradientReducer::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void GradientReducer::begin(std::chrono::steady_clock::time_point began) {
  began_ = began;
  buckets_.clear();
  tuning_ = workers_.size() > 1 && !tuner_.is_settled();
  unsent_ = gradients_.size();
  busy_before_ = workers_.seconds_busy();
  bytes_before_ = workers_.bytes_sent();
}

void GradientReducer::final_from(size_t offset) {
  if (workers_.size() == 1) return;
  const size_t first = (offset + kChunk - 1) / kChunk * kChunk;  // a chunk leaves as a whole
  while (unsent_ > first && unsent_ - first >= tuner_.bucket()) {
    const size_t begin = (unsent_ - tuner_.bucket() + kChunk - 1) / kChunk * kChunk;
    send({begin, unsent_});
  }
}

void GradientReducer::send(Interval bucket) {
  BucketTimes& times = buckets_.emplace_back();
  times.ready = seconds();
  under_way_.push_back(workers_.start("sum of gradients", [this, bucket, &times](Communicator& all) {
    const uint64_t bytes_before = all.bytes_sent();
    times.begin = seconds();
    all.reduce_scatter(gradients_, bucket, wire_);
    if (!sharded_) all.all_gather(gradients_, bucket, wire_);
    times.end = seconds();
    times.bytes = all.bytes_sent() - bytes_before;
  }));
  unsent_ = bucket.begin;
}

void GradientReducer::finish() {
  if (workers_.size() == 1) return;
  final_from(0);
  if (unsent_ > 0) send({0, unsent_});
  const auto began = std::chrono::steady_clock::now();
  for (std::future<void>& bucket : under_way_) bucket.get();
  under_way_.clear();
  times_.exposed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  count();
  tuner_.record(workers_, times_.exposed);
}

void GradientReducer::share_weights(std::span<float> weights) {
  if (!sharded_) return;
  const auto began = std::chrono::steady_clock::now();
  workers_
      .start("gathering of weights",
             [&](Communicator& all) {
               all.all_gather(weights, {0, weights.size()}, Wire::kFp32);
             })
      .get();
  times_.exposed += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  count();
}

void GradientReducer::count() {
  times_.busy = workers_.seconds_busy() - busy_before_;
  times_.bytes = workers_.bytes_sent() - bytes_before_;
}

}  // namespace verbund
