// What a backward pass tells while it goes on: which gradients are ready, so that they can leave.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/interval.h"

namespace verbund {

// The gradient of the embeddings that a pass has looked up on one side, kept apart from the table's own.
struct LookupRows {
  size_t lookup = 0;              // of which table: its place in GradientOrder::lookups
  std::vector<int32_t> ids;       // sorted, each once
  std::span<const float> values;  // [ids, width], while they are being told
};

// Who listens. Whatever is not set is not told.
struct GradientReady {
  // Nothing is added to these values of the flat gradient buffer any more.
  std::function<void(Interval)> values;
  // If set, the rows of looked-up tokens are told here as soon as they are made, and are not added to the buffer. On a
  // device whose memory is the host's.
  std::function<void(const LookupRows&)> rows;
  // The loss is known; no gradient but the output's is.
  std::function<void()> backward_begins;

  void mark_ready(Interval interval) const {
    if (values && interval.size() > 0) values(interval);
  }
};

}  // namespace verbund
