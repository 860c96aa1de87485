#include "comm/bucket_tuner.h"

#include <algorithm>
#include <limits>

#include "comm/chunks.h"
#include "core/human.h"

namespace verbund {
namespace {

constexpr size_t kCandidates[] = {16 * kChunk, 64 * kChunk, 256 * kChunk};  // 2, 8 and 32 MiB

size_t whole_chunks(size_t values) { return std::max<size_t>(1, (values + kChunk / 2) / kChunk) * kChunk; }

}  // namespace

BucketTuner::BucketTuner(size_t bucket, size_t size) : settled_(bucket != 0) {
  if (settled_) {
    sizes_ = {whole_chunks(bucket)};
    return;
  }
  for (const size_t candidate : kCandidates) {
    if (sizes_.empty() || candidate < size) sizes_.push_back(candidate);
  }
  seconds_.assign(sizes_.size(), std::numeric_limits<double>::infinity());
  settled_ = sizes_.size() == 1;
}

void BucketTuner::settle(size_t bucket) {
  if (settled_ || bucket == 0) return;
  sizes_ = {found_ = whole_chunks(bucket)};
  current_ = 0;
  settled_ = true;
  report_ = fmt::format("gradient buckets: {}, as found before", human_bytes(this->bucket() * sizeof(float)));
}

void BucketTuner::record(Workers& workers, double seconds_exposed) {
  if (settled_) return;
  seconds_[current_] = std::min(seconds_[current_], workers.comm().max(seconds_exposed));
  // Sizes take turns, so that a slow moment of the machine does not hit one of them alone.
  current_ = (current_ + 1) % sizes_.size();
  if (current_ != 0 || ++tries_ < kTries) return;
  settled_ = true;
  report_ = "gradient buckets:";
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (seconds_[i] < seconds_[current_]) current_ = i;
    report_ += fmt::format(" {} made the step wait {:.3f} s,", human_bytes(sizes_[i] * sizeof(float)), seconds_[i]);
  }
  found_ = bucket();
  report_ += fmt::format(" so {} it is", human_bytes(bucket() * sizeof(float)));
}

}  // namespace verbund
