#include "comm/bucket_cutter.h"

#include "comm/chunks.h"

namespace verbund {
namespace {

size_t chunk_begin(size_t place) { return place / kChunk * kChunk; }
size_t next_chunk(size_t place) { return (place + kChunk - 1) / kChunk * kChunk; }

}  // namespace

BucketCutter::BucketCutter(size_t size, size_t bucket) : size_(size), bucket_(bucket) {}

// The values, with the runs that lie right before and after them.
BucketCutter::Run BucketCutter::joined(Interval values) {
  Run run = {values, values.begin == 0};
  for (size_t i = waiting_.size(); i-- > 0;) {
    const Run other = waiting_[i];
    const bool before = other.values.end == run.values.begin, after = other.values.begin == run.values.end;
    if (!before && !after) continue;
    if (before) run = {{other.values.begin, run.values.end}, other.closed};
    if (after) run.values.end = other.values.end;
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return run;
}

size_t BucketCutter::cut(Interval values, bool to_the_last, std::vector<Interval>& leaving) {
  size_t end = values.end;
  const auto leave = [&](size_t begin) {
    leaving.push_back({begin, end});
    left_.push_back({begin, end});
    end = begin;
  };
  while (end > values.begin && end - values.begin >= bucket_) leave(next_chunk(end - bucket_));
  if (to_the_last && end > values.begin) leave(values.begin);
  return end;
}

std::vector<Interval> BucketCutter::ready(Interval values) {
  std::vector<Interval> leaving;
  if (values.size() == 0) return leaving;
  const Run run = joined(values);
  const Interval whole = {next_chunk(run.values.begin), run.values.end == size_ ? size_ : chunk_begin(run.values.end)};
  if (whole.size() == 0) {
    waiting_.push_back(run);
    return leaving;
  }
  const size_t end = cut(whole, run.closed, leaving);
  if (leaving.empty()) {
    waiting_.push_back(run);
    return leaving;
  }
  // What stays: the begin that did not fill a bucket, and a last chunk whose other values come later.
  if (end > run.values.begin) waiting_.push_back({{run.values.begin, end}, run.closed});
  if (run.values.end > whole.end) waiting_.push_back({{whole.end, run.values.end}, true});
  return leaving;
}

std::vector<Interval> BucketCutter::rest() {
  std::vector<Interval> leaving;
  const std::vector<Interval> missing = complement(left_, size_);
  for (size_t i = missing.size(); i-- > 0;) cut(missing[i], true, leaving);
  waiting_.clear();
  return leaving;
}

}  // namespace verbund
