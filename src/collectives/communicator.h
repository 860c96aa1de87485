// SPDX-License-Identifier: Apache-2.0
// Communicator is the interface of collective operations. Every worker calls the same operations in the same order;
// each operation ends with the same bits on all of them, whatever arrived first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/chunks.h"
#include "collectives/host_layout.h"
#include "collectives/wire.h"
#include "config/workers_config.h"
#include "control/rendezvous.h"
#include "core/interval.h"

namespace verbund {

// How values are rounded that are sent between hosts.
struct Rounding {
  // NOLINTNEXTLINE(google-explicit-constructor): mostly the wire is all there is
  Rounding(Wire what, ErrorFeedback* with = nullptr) : wire(what), feedback(with) {}

  Wire wire;
  ErrorFeedback* feedback;  // keeps the rounding errors and adds them next time; null: they are lost
};

// The rank that has a chunk of a buffer, or kNobody.
using HolderOf = std::function<int(size_t chunk)>;
constexpr int kNobody = -1;

class Communicator : public Rendezvous {
 public:
  virtual int size() const = 0;
  virtual const HostLayout& layout() const = 0;

  // A few numbers of each worker: their sums, in the order of ranks, or their maxima.
  virtual void sum(std::span<double> values) = 0;
  virtual void max(std::span<double> values) = 0;
  // The text of rank 0.
  virtual std::string broadcast(const std::string& text) = 0;

  // Collectives on flat buffers, in chunks that have owners (collectives/chunks.h); an interval starts at the start of
  // a chunk. After all_reduce the interval holds the sums over all workers; after reduce_scatter a worker's own chunks
  // of it do; after all_gather all chunks hold their owners' values. Values sent between hosts are rounded to the
  // wire's precision, and all workers get the same.
  virtual void all_reduce(std::span<float> buffer, Interval interval, Rounding rounding) = 0;
  virtual void reduce_scatter(std::span<float> buffer, Interval interval, Rounding rounding) = 0;
  virtual void all_gather(std::span<float> buffer, Interval interval, Wire wire) = 0;
  // All workers get worker 0's values.
  virtual void broadcast(std::span<float> buffer) = 0;

  // Between a buffer of `size` values on worker 0, and its chunks, which lie one after the other on the workers that
  // hold them. `all` may be empty on the other workers.
  virtual void gather_chunks(std::span<const float> own, std::span<float> all, size_t size, const HolderOf& holder) = 0;
  virtual void scatter_chunks(std::span<const float> all, std::span<float> own, size_t size,
                              const HolderOf& holder) = 0;
  // The same, held by the chunks' owners.
  void gather_shards(std::span<const float> own, std::span<float> all, size_t buffer_size) {
    gather_chunks(own, all, buffer_size, [this](size_t chunk) { return owner_of(chunk, size()); });
  }
  void scatter_shards(std::span<const float> all, std::span<float> own, size_t buffer_size) {
    scatter_chunks(all, own, buffer_size, [this](size_t chunk) { return owner_of(chunk, size()); });
  }

  // Exchanges bytes with one other worker, which does the same: for measurements.
  virtual void exchange_with(int other, std::span<const std::byte> send, std::span<std::byte> receive) = 0;

  // The number of chunks in flight, up to kMaxInFlight. It does not change the sums.
  virtual void set_in_flight(size_t chunks) = 0;

  virtual uint64_t bytes_sent() const = 0;  // to other hosts, since the beginning

  // Orderly shutdown. Collective: every rank must call it.
  virtual void close() = 0;

  double max(double value) {
    max({&value, 1});
    return value;
  }
  double min(double value) { return -max(-value); }
  bool any(bool value) { return max(value ? 1.0 : 0.0) > 0; }
  void barrier() { any(false); }
};

}  // namespace verbund
