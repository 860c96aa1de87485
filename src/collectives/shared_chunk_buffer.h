// What the workers of one host share while they exchange: places for the chunks that are under way, and how far each of
// them has come. Chunks are numbered through all exchanges; a window of them is under way at a time, in places that are
// used in turn. A worker enters a chunk when it has left the one that had its place before; so when all have entered
// it, its place is free for everybody.
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
  // Of a worker that has its host to itself: no places are needed, it works on its own buffer.
  SharedChunkBuffer();
  // Of several: over memory of bytes_for(workers) zeros that all of them see.
  SharedChunkBuffer(std::shared_ptr<std::byte> memory, int workers, int self);
  static size_t bytes_for(int workers);

  int workers() const { return workers_; }
  bool is_shared() const { return workers_ > 1; }

  // Places of a chunk: for the values of each worker, and for what all of them get.
  float* values_of(int worker, size_t chunk) const;
  float* result(size_t chunk) const;

  void enter(size_t chunk);  // by this worker; in order
  bool all_entered(size_t chunk) const;
  void finish(size_t chunk);  // what all get is there, or there is nothing to get
  bool is_finished(size_t chunk) const;

  // How often somebody has entered or finished something; and sleeping until that is no longer so, or for some time.
  uint32_t events() const;
  void wait(uint32_t events, std::chrono::nanoseconds longest) const;

 private:
  struct Head;
  struct Progress;
  void tell() const;

  std::shared_ptr<std::byte> memory_;
  int workers_, self_;
  Head* head_;
  Progress* entered_;  // by worker: chunks before this one
  float* places_;
};

}  // namespace verbund
