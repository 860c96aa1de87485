// SPDX-License-Identifier: Apache-2.0
#include "collectives/bucket_plan.h"

#include <algorithm>

#include "collectives/chunks.h"
#include "core/error.h"

namespace verbund {
namespace {

// Calls use(chunk, count) for each chunk, with the number of these values in it.
template <typename Use>
void for_chunks(Interval values, Use use) {
  for (size_t chunk = values.begin / kChunk; chunk * kChunk < values.end; ++chunk) {
    use(chunk, intersection(values, {chunk * kChunk, (chunk + 1) * kChunk}).size());
  }
}

}  // namespace

BucketPlan::BucketPlan(const GradientOrder& order, size_t bucket)
    : values_in_chunk_((order.size + kChunk - 1) / kChunk), has_rows_(order.lookups.size()) {
  // A chunk is sent as a whole, with the last of its values to become ready.
  constexpr size_t kNever = SIZE_MAX;
  std::vector<size_t> event_of(values_in_chunk_.size(), kNever);
  for (size_t event = 0; event < order.events.size(); ++event) {
    for_chunks(order.events[event].values, [&](size_t chunk, size_t values) {
      event_of[chunk] = event;
      values_in_chunk_[chunk] += values;
    });
  }
  for (size_t event = 0; event < order.events.size(); ++event) {
    if (order.events[event].rows) transfers_.push_back({{}, order.events[event].rows});
    for (size_t end = event_of.size(); end > 0;) {
      if (event_of[end - 1] != event) {
        --end;
        continue;
      }
      size_t begin = end;
      while (begin > 0 && event_of[begin - 1] == event) --begin;
      cut({begin * kChunk, std::min(end * kChunk, order.size)}, bucket);
      end = begin;
    }
  }
  restart();
}

// Cuts from the last value to the first, as they become ready.
void BucketPlan::cut(Interval run, size_t bucket) {
  for (size_t end = run.end; end > run.begin;) {
    const size_t begin = end - run.begin < bucket ? run.begin : (end - bucket + kChunk - 1) / kChunk * kChunk;
    transfers_.push_back({{begin, end}, {}});
    end = begin;
  }
}

void BucketPlan::restart() {
  awaited_ = values_in_chunk_;
  std::fill(has_rows_.begin(), has_rows_.end(), false);
  taken_ = 0;
}

void BucketPlan::mark_ready(Interval values) {
  for_chunks(values, [&](size_t chunk, size_t count) {
    if (awaited_.at(chunk) < count) {
      fail("gradients [{}, {}) were marked ready twice: chunk {} awaited only {} values", values.begin, values.end,
           chunk, awaited_[chunk]);
    }
    awaited_[chunk] -= count;
  });
}

void BucketPlan::mark_rows_ready(size_t lookup) { has_rows_.at(lookup) = true; }

void BucketPlan::mark_all_ready() {
  std::fill(awaited_.begin(), awaited_.end(), 0);
  std::fill(has_rows_.begin(), has_rows_.end(), true);
}

bool BucketPlan::is_ready(const Transfer& transfer) const {
  if (transfer.rows) return has_rows_[*transfer.rows];
  bool ready = true;
  for_chunks(transfer.values, [&](size_t chunk, size_t) { ready = ready && awaited_[chunk] == 0; });
  return ready;
}

const Transfer* BucketPlan::take_next() {
  if (taken_ == transfers_.size() || !is_ready(transfers_[taken_])) return nullptr;
  return &transfers_[taken_++];
}

}  // namespace verbund
