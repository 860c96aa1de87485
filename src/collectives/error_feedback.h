// What rounding takes away from the messages of a buffer is not lost: this worker keeps it, the residual, and adds it
// before the next message of the same values is rounded. So the sum of many steps is right to within one step's
// rounding, however coarse that is. It belongs to whoever exchanges the same buffer step by step.
//
// Messages are told apart by the chunk of the buffer, and by which part of the sum they are: 0 is a total that goes to
// all, others are what a host has added up by itself (comm/chunk_exchange.h).
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collectives/wire.h"

namespace verbund {

class ErrorFeedback {
 public:
  // Rounds the values and what was left of them before. `values` are then what the message says. Where that is not
  // finite, nothing is left.
  void encode(Wire wire, size_t chunk, size_t part, std::span<float> values, std::byte* message);

  // Empty: nothing is left.
  std::span<const float> residual(size_t chunk, size_t part) const;
  void set_residual(size_t chunk, size_t part, std::span<const float> values);

  // The values of all later messages have another scale.
  void multiply(float factor);
  void clear() { residuals_.clear(); }

 private:
  std::map<std::pair<size_t, size_t>, std::vector<float>> residuals_;  // by chunk and part
};

}  // namespace verbund
