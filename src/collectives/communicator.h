// What workers do together. Every worker calls the same operations in the same order; each
// operation ends with the same bits on all of them, whatever arrived first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/chunks.h"
#include "collectives/error_feedback.h"
#include "collectives/host_layout.h"
#include "config/workers_config.h"
#include "control/rendezvous.h"
#include "core/interval.h"

namespace verbund {

// What becomes of values that travel between hosts.
struct Rounding {
  // NOLINTNEXTLINE(google-explicit-constructor): mostly it is the wire's alone
  Rounding(Wire what, ErrorFeedback* with = nullptr) : wire(what), feedback(with) {}

  Wire wire;
  ErrorFeedback* feedback;  // takes what is rounded away, and adds it next time; null: it is lost
};

// Who of the workers has a chunk of a buffer, or nobody.
using HolderOf = std::function<int(size_t chunk)>;
constexpr int kNobody = -1;

class Communicator : public Rendezvous {
 public:
  virtual int size() const = 0;
  virtual const HostLayout& layout() const = 0;

  // A few numbers of each worker: their sums, in the order of ranks, or the largest ones.
  virtual void sum(std::span<double> values) = 0;
  virtual void max(std::span<double> values) = 0;
  using Rendezvous::broadcast;

  // Of flat buffers, in chunks that have owners (comm/chunks.h); a piece begins at a chunk's begin. After all_reduce
  // the piece holds the sums over all workers; after reduce_scatter a worker's own chunks of it do; after all_gather
  // all chunks hold what their owners had. What travels between hosts is rounded to the wire's precision, and what all
  // get is the same with all.
  virtual void all_reduce(std::span<float> buffer, Interval piece, Rounding rounding) = 0;
  virtual void reduce_scatter(std::span<float> buffer, Interval piece, Rounding rounding) = 0;
  virtual void all_gather(std::span<float> buffer, Interval piece, Wire wire) = 0;
  // Worker 0's values.
  virtual void broadcast(std::span<float> buffer) = 0;

  // Between a buffer of `size` values that worker 0 has, and its chunks, which lie one after the other with the workers
  // that hold them. On others than worker 0 `all` may be empty.
  virtual void gather_chunks(std::span<const float> own, std::span<float> all, size_t size, const HolderOf& holder) = 0;
  virtual void scatter_chunks(std::span<const float> all, std::span<float> own, size_t size,
                              const HolderOf& holder) = 0;
  // The same with the chunks' owners.
  void gather_shards(std::span<const float> own, std::span<float> all, size_t buffer_size) {
    gather_chunks(own, all, buffer_size, [this](size_t chunk) { return owner_of(chunk, size()); });
  }
  void scatter_shards(std::span<const float> all, std::span<float> own, size_t buffer_size) {
    scatter_chunks(all, own, buffer_size, [this](size_t chunk) { return owner_of(chunk, size()); });
  }

  // Between this worker and another, who does the same: for measurements.
  virtual void exchange_with(int other, std::span<const std::byte> send, std::span<std::byte> receive) = 0;

  // How many chunks of a buffer are under way at a time, up to kMostInFlight. Sums are the same.
  virtual void set_in_flight(size_t chunks) = 0;

  virtual uint64_t bytes_sent() const = 0;  // to other hosts, since the beginning

  // A friendly end, by all together.
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
