// SPDX-License-Identifier: Apache-2.0
// GradientOrder is the order in which a backward pass finishes gradients, and GradientReady the callbacks that report
// them, so that they can be sent while the pass continues. The order is known before the pass begins and depends on the
// model's configuration alone, so all ranks agree on the order of sending, even a rank without sentences.
//
// An embedding that is the output matrix as well has a dense gradient, which is ready first, as the backward pass
// begins, and rows of looked-up tokens, which come as the pass reaches the embeddings. An embedding that is only looked
// up has nothing but rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "config/model_config.h"
#include "core/interval.h"
#include "model/parameters.h"

namespace verbund {

// A table whose rows are looked up by the tokens of one side.
struct Lookup {
  Interval place;         // of the table in the flat buffer
  int64_t width = 0;      // values of a row
  bool is_dense = false;  // it has a gradient besides the rows
};

struct GradientOrder {
  // Either these values, from the last to the first, or the rows of a lookup.
  struct Event {
    Interval values;
    std::optional<size_t> rows;
  };

  size_t size = 0;              // of the buffer
  std::vector<Lookup> lookups;  // in the order in which their rows come
  Interval dense_table;         // the dense gradient that is ready as the backward pass begins; empty: none is
  size_t tables_end = 0;        // gradients from here on get ready from the last to the first
  std::vector<Event> events;    // all of it
};

inline constexpr size_t kTargetLookup = 0, kSourceLookup = 1;

// Rows are added to the buffer like all other gradients.
GradientOrder order_without_rows(size_t size);
// Rows are reported separately.
GradientOrder order_with_rows(const ModelConfig& config, const ParameterTable& table);

// The gradient of the embedding rows that a pass has looked up on one side, separate from the table's dense gradient.
struct LookupRows {
  size_t lookup = 0;              // the table: its index in GradientOrder::lookups
  std::vector<int32_t> ids;       // sorted, each once
  std::span<const float> values;  // [ids, width], valid during the callback
};

// GradientReady holds the callbacks of a backward pass. What is not set is not called.
struct GradientReady {
  // These values of the flat gradient buffer are final.
  std::function<void(Interval)> values;
  // If set, the rows of looked-up tokens are reported here as soon as they are computed, and are not added to the
  // buffer. Only on a device whose memory is the host's.
  std::function<void(const LookupRows&)> rows;
  // The loss is known; of the gradients only the output's is.
  std::function<void()> backward_begins;

  void mark_ready(Interval interval) const {
    if (values && interval.size() > 0) values(interval);
  }
};

// CompactIds are the tokens of a batch as indices into a small table with one row per distinct token.
struct CompactIds {
  std::vector<int32_t> distinct;  // sorted
  std::vector<int32_t> rows;      // the index of each token in `distinct`

  explicit CompactIds(std::span<const int32_t> ids);
};

}  // namespace verbund
