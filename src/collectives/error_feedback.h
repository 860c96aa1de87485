// ErrorFeedback keeps the rounding errors of a buffer's messages (the residuals) and adds them before the next message
// of the same values is rounded. So the sum over many steps is exact to within the rounding of one step, however coarse
// that is. It belongs to whoever exchanges the same buffer step by step.
//
// Messages are told apart by the chunk of the buffer and the part of the sum: part 0 is a total that goes to all
// workers, the others are sums within a host (collectives/chunk_exchange.h).
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collectives/wire.h"

namespace verbund {

class ErrorFeedback {
 public:
  // Rounds the values plus their residual, and sets `values` to those of the message. Where these are not finite, no
  // residual is kept.
  void encode(Wire wire, size_t chunk, size_t part, std::span<float> values, std::byte* message);

  // Empty if there is none.
  std::span<const float> residual(size_t chunk, size_t part) const;
  void set_residual(size_t chunk, size_t part, std::span<const float> values);

  // Scales all residuals, as the values of all later messages are scaled.
  void multiply(float factor);
  void clear() { residuals_.clear(); }

 private:
  std::map<std::pair<size_t, size_t>, std::vector<float>> residuals_;  // by chunk and part
};

}  // namespace verbund
