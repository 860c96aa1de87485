// SPDX-License-Identifier: Apache-2.0
// SharedChunkBuffer is the memory that the workers of one host share in an exchange: places for the chunks in flight,
// and the progress of each worker. Chunks are numbered through all exchanges; a window of them is in flight at a time,
// in places that are used in turn. A worker enters a chunk when it has left the one that had its place before; so when
// all have entered it, its place is free for everybody.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectives/chunks.h"

namespace verbund {

class SharedChunkBuffer {
 public:
  // For a worker that is alone on its host and works on its own buffer, without places.
  SharedChunkBuffer();
  // For several workers: over shared memory of bytes_for(workers) zeros.
  SharedChunkBuffer(std::shared_ptr<std::byte> memory, int workers, int self);
  static size_t bytes_for(int workers);

  int workers() const { return workers_; }
  bool is_shared() const { return workers_ > 1; }

  // Places of a chunk: for the values of each worker, and for the result.
  float* values_of(int worker, size_t chunk) const;
  float* result(size_t chunk) const;

  void enter(size_t chunk);  // by this worker; in order
  bool all_entered(size_t chunk) const;
  void finish(size_t chunk);  // the result is there, or there is none
  bool is_finished(size_t chunk) const;

  // The number of enters and finishes so far; and sleeping until it changes, or for some time.
  uint32_t events() const;
  void wait(uint32_t events, std::chrono::nanoseconds longest) const;

 private:
  struct Head;
  struct Progress;
  void notify() const;

  std::shared_ptr<std::byte> memory_;
  int workers_, self_;
  Head* head_;
  Progress* entered_;  // by worker: the number after its last chunk
  float* places_;
};

}  // namespace verbund
