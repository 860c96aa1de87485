// SPDX-License-Identifier: Apache-2.0
#include "collectives/residual_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace verbund {
namespace {

// "0 1 | 2 3"
std::string ranks_by_host(const HostLayout& layout) {
  std::vector<std::string> hosts;
  for (int host = 0; host < layout.hosts(); ++host) {
    hosts.push_back(fmt::format("{}", fmt::join(layout.ranks_of(host), " ")));
  }
  return fmt::format("{}", fmt::join(hosts, " | "));
}

}  // namespace

ResidualPlaces::ResidualPlaces(const HostLayout& layout, SumsAt where, size_t size)
    : layout_(layout), where_(where), size_(size) {
  for (int host = 0; host < layout_.hosts(); ++host) {
    for (size_t part = 0; part < layout_.parts_of(host).size(); ++part) {
      places_.push_back({host, part});
      names_.push_back(fmt::format("residual.{}.{}", host, part));
    }
  }
  description_ =
      fmt::format("workers {}, sums {}", ranks_by_host(layout_), where_ == SumsAt::kOwner ? "with owners" : "with all");
}

bool ResidualPlaces::sums_at(int host, size_t chunk) const {
  return layout_.host_of(layout_.summing_rank(chunk, where_)) == host;
}

int ResidualPlaces::holder(const Place& place, size_t chunk) const {
  const bool rounds = !sums_at(place.host, chunk) || (where_ == SumsAt::kAnyHost && place.part == 0);
  return rounds ? layout_.chunk_leader(place.host, chunk, where_) : kNobody;
}

const ResidualPlaces::Place& ResidualPlaces::first_place(size_t chunk) const {
  for (const Place& place : places_) {
    if (holder(place, chunk) != kNobody) return place;
  }
  return places_.front();  // never reached with several hosts
}

void ResidualPlaces::gather(Communicator& comm, const ErrorFeedback& feedback, size_t i, std::span<float> whole) const {
  const Place& place = places_[i];
  const auto holder_of = [&](size_t chunk) { return holder(place, chunk); };
  std::vector<float> own;
  for (const Chunk& chunk : chunks_of({0, size_}, layout_.workers())) {
    const size_t number = chunk.place.begin / kChunk;
    if (holder_of(number) != comm.rank()) continue;
    const std::span<const float> left = feedback.residual(number, part_of_message(place, number));
    own.insert(own.end(), left.begin(), left.end());
    own.resize(own.size() + chunk.place.size() - left.size());
  }
  comm.gather_chunks(own, whole, size_, holder_of);
}

template <typename PlaceOf>
void ResidualPlaces::scatter(Communicator& comm, std::span<const float> whole, ErrorFeedback& feedback,
                             PlaceOf place_of) const {
  const auto holder_of = [&](size_t chunk) { return holder(place_of(chunk), chunk); };
  std::vector<Chunk> held;
  size_t values = 0;
  for (const Chunk& chunk : chunks_of({0, size_}, layout_.workers())) {
    if (holder_of(chunk.place.begin / kChunk) != comm.rank()) continue;
    held.push_back(chunk);
    values += chunk.place.size();
  }
  std::vector<float> own(values);
  comm.scatter_chunks(whole, own, size_, holder_of);
  size_t at = 0;
  for (const Chunk& chunk : held) {
    const size_t number = chunk.place.begin / kChunk;
    feedback.set_residual(number, part_of_message(place_of(number), number),
                          std::span(own).subspan(at, chunk.place.size()));
    at += chunk.place.size();
  }
}

void ResidualPlaces::scatter(Communicator& comm, std::span<const float> whole, size_t i,
                             ErrorFeedback& feedback) const {
  scatter(comm, whole, feedback, [&](size_t) -> const Place& { return places_[i]; });
}

void ResidualPlaces::scatter_sum(Communicator& comm, std::span<const float> whole, ErrorFeedback& feedback) const {
  scatter(comm, whole, feedback, [&](size_t chunk) -> const Place& { return first_place(chunk); });
}

}  // namespace verbund
