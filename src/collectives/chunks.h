// SPDX-License-Identifier: Apache-2.0
// Chunks are the equal parts of a flat buffer; each has an owner, the workers in turn. So every longer interval of a
// buffer is spread evenly over all workers, and the owners depend on the number of workers alone.
#pragma once

#include <vector>

#include "core/interval.h"

namespace verbund {

constexpr size_t kChunk = 32768;  // values
// Chunks that are in flight at the same time, so that adding, sending and receiving overlap.
constexpr size_t kUsualInFlight = 16, kMaxInFlight = 32;

struct Chunk {
  Interval place;
  int owner;
};

// `chunk` counts from the start of the buffer.
inline int owner_of(size_t chunk, int workers) { return static_cast<int>(chunk % static_cast<size_t>(workers)); }

// The chunks of an interval of a buffer, which starts at the start of a chunk.
inline std::vector<Chunk> chunks_of(Interval interval, int workers) {
  std::vector<Chunk> chunks;
  for (size_t begin = interval.begin; begin < interval.end; begin += kChunk) {
    chunks.push_back(
        {{begin, begin + kChunk < interval.end ? begin + kChunk : interval.end}, owner_of(begin / kChunk, workers)});
  }
  return chunks;
}

// The parts of a buffer of `size` values that a worker owns, in order.
inline std::vector<Interval> owned_by(int rank, int workers, size_t size) {
  if (workers == 1) return {{0, size}};
  std::vector<Interval> owned;
  for (const Chunk& chunk : chunks_of({0, size}, workers)) {
    if (chunk.owner == rank) owned.push_back(chunk.place);
  }
  return owned;
}

}  // namespace verbund
