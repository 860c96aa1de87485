// SPDX-License-Identifier: Apache-2.0
// ResidualPlaces gathers the residuals of a gradient exchange (collectives/wire.h) into whole buffers that a
// checkpoint can keep, and scatters them again. There is one buffer for each part of the sum that a host sends
// (collectives/host_layout.h), mostly one for each host. It holds, for every chunk, the residual of the host's chunk
// leader: of that part, or, at the host that sums the chunk, of the total.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/communicator.h"

namespace verbund {

class ResidualPlaces {
 public:
  // For a buffer of `size` values. `where`: the place at which its chunks are summed; sums at their owners are not
  // rounded.
  ResidualPlaces(const HostLayout& layout, SumsAt where, size_t size);

  // "residual.HOST.PART" of each buffer.
  const std::vector<std::string>& names() const { return names_; }
  // Describes the layout. With the same text, each residual has the same place.
  const std::string& description() const { return description_; }

  // Collective. Worker 0 gets or gives the whole buffer number i; the buffers of the others may be empty.
  void gather(Communicator& comm, const ErrorFeedback& feedback, size_t i, std::span<float> whole) const;
  void scatter(Communicator& comm, std::span<const float> whole, size_t i, ErrorFeedback& feedback) const;
  // Gives each chunk to the first host that rounds it: of another layout's residuals only the sum can be used.
  void scatter_sum(Communicator& comm, std::span<const float> whole, ErrorFeedback& feedback) const;

 private:
  struct Place {
    int host;
    size_t part;  // of the host, from 0
  };
  bool sums_at(int host, size_t chunk) const;
  int holder(const Place& place, size_t chunk) const;
  const Place& first_place(size_t chunk) const;

  // `place_of`: the place that a chunk's values belong to.
  template <typename PlaceOf>
  void scatter(Communicator& comm, std::span<const float> whole, ErrorFeedback& feedback, PlaceOf place_of) const;
  // The part as error feedback counts it: 0 is the total.
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
