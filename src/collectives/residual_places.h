// Where the residuals of a gradient's exchange (comm/error_feedback.h) are, and how they come together as whole buffers
// that a checkpoint can keep: one for each part of the sum that a host sends (comm/host_layout.h), mostly one for each
// host. In it lies, for every chunk, what the host's chunk_leader has rounded away: of that part, or, at the host where the
// chunk's sums come together, of the total.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.h"

namespace verbund {

class ResidualPlaces {
 public:
  // Of a buffer of `size` values; `where` its sums come together: with their owners they are not rounded.
  ResidualPlaces(const HostLayout& layout, SumsAt where, size_t size);

  // "residual.HOST.PART" of each buffer.
  const std::vector<std::string>& names() const { return names_; }
  // Who does what. The same text: each residual has its place still.
  const std::string& description() const { return description_; }

  // By all workers together. Worker 0 gets or gives buffer number i, as a whole; those of others may be empty.
  void gather(Communicator& comm, const ErrorFeedback& feedback, size_t i, std::span<float> whole) const;
  void scatter(Communicator& comm, std::span<const float> whole, size_t i, ErrorFeedback& feedback) const;
  // To whoever rounds a chunk first in the order of hosts: of another layout's residuals, only the sum is of use.
  void scatter_sum(Communicator& comm, std::span<const float> whole, ErrorFeedback& feedback) const;

 private:
  struct Place {
    int host;
    size_t part;  // of the host's, from 0
  };
  bool sums_at(int host, size_t chunk) const;
  int holder(const Place& place, size_t chunk) const;
  const Place& first_place(size_t chunk) const;

  // `place_of`: of which the chunk's values are meant.
  template <typename PlaceOf>
  void scatter(Communicator& comm, std::span<const float> whole, ErrorFeedback& feedback, PlaceOf place_of) const;
  // As error feedback counts: 0 is the total.
  size_t part_of_message(const Place& place, size_t chunk) const {
    return sums_at(place.host, chunk) ? 0 : place.part + 1;
  }

  const HostLayout layout_;
  const SumsAt where_;
  const size_t size_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
  std::string description_;
};

}  // namespace verbund
