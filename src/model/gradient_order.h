// In which order a backward pass makes gradients ready. It is known before the pass begins and depends on the model's
// configuration alone, so workers can agree on what leaves when, even one that has no sentence to compute.
//
// An embedding that is the output matrix as well has a dense gradient, which is ready first, as the backward pass
// begins, and rows of looked-up tokens, which come as the pass reaches the embeddings. One that is only looked up has
// nothing but rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  // Either these values, from their end to their begin, or the rows of a lookup.
  struct Event {
    Interval values;
    std::optional<size_t> rows;
  };

  size_t size = 0;              // of the buffer
  std::vector<Lookup> lookups;  // in the order in which their rows come
  Interval dense_table;         // the dense gradient that is ready as the backward pass begins; of size 0: none is
  size_t tables_end = 0;        // what lies from here on is ready from its end to its begin
  std::vector<Event> events;    // all of it
};

inline constexpr size_t kTargetLookup = 0, kSourceLookup = 1;

// Rows are added to the buffer like all else.
GradientOrder from_end_to_begin(size_t size);
// Rows are told apart.
GradientOrder order_with_rows(const ModelConfig& config, const ParameterTable& table);

}  // namespace verbund
