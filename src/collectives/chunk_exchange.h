// SPDX-License-Identifier: Apache-2.0
// ChunkExchange runs collectives over flat buffers, hosts first. A buffer is exchanged chunk by chunk, many of them in
// flight at a time:
//
//   1. The workers of a host copy their values into its shared memory. One of them, the chunk leader, adds them up (in
//      the order of collectives/sum_order.h) and sends the sum to the host that sums the chunk.
//   2. The chunk leader there adds up what has arrived, and sends the total to the chunk leaders of the other hosts.
//   3. The chunk leader copies the total into the shared memory, and every worker reads it.
//
// Where there are more hosts than chunks, HalvingExchange takes over if it can; otherwise chunks are cut, so that every
// host has something to sum. Neither changes a bit of the result.
//
// So of n workers on h hosts each host sends 2 (h-1)/h of a buffer, whatever n is, and the workers of a host share the
// work. A reduce-scatter is 1 and 2 without the sending, into the memory of the chunk's owner; an all-gather is the
// rest of 2, and 3. No worker waits as long as it has something to do.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/halving_exchange.h"
#include "collectives/shared_chunk_buffer.h"
#include "collectives/transport.h"

namespace verbund {

enum class Collective { kAllReduce, kReduceScatter, kAllGather };

class ChunkExchange {
 public:
  // `shared`: the buffer of this worker's host. All three must outlive this.
  ChunkExchange(Transport& transport, const HostLayout& layout, SharedChunkBuffer& shared);

  // Collective. Values that are sent between hosts are rounded; all workers get the same values.
  void run(Collective what, std::span<float> buffer, Interval interval, Rounding rounding);

  // Chunks in flight; workers need not use the same number.
  void set_in_flight(size_t chunks) { in_flight_ = chunks; }
  uint64_t bytes_sent() const { return bytes_sent_ + halving_.bytes_sent(); }  // to other hosts

 private:
  // A chunk that this worker leads.
  struct Cell {
    enum class Stage { kFree, kEntered, kSent, kReceiving, kLeaving };
    Stage stage = Stage::kFree;
    size_t number = 0;  // counts all chunks that were ever exchanged
    size_t chunk = 0;   // its place in the buffer
    std::span<float> values;
    bool sums_here = false;
    int sending = 0, receiving = 0;
    std::vector<std::byte> outgoing, incoming;  // memory for messages
    std::vector<std::byte> parts;               // of the other hosts, until they are added up
  };

  void enter(size_t number, Interval chunk);
  void leave(size_t number, Interval chunk);
  bool advance(Cell& cell);
  void receive_parts(Cell& cell);
  void send_parts(Cell& cell);
  void add_up(Cell& cell);
  void distribute(Cell& cell);
  void receive_result(Cell& cell);
  void take_result(Cell& cell);
  void send(Cell& cell, int to, size_t part, std::span<const std::byte> message);

  void round(const Cell& cell, size_t part, std::span<float> values, std::byte* message) const;
  bool is_coded() const { return rounding_.wire != Wire::kFp32; }
  size_t message_bytes(const Cell& cell) const;
  SumsAt place_of_sums() const { return what_ == Collective::kAllReduce ? SumsAt::kAnyHost : SumsAt::kOwner; }
  float* place_of_result(const Cell& cell) const;
  int tag(const Cell& cell, size_t part) const;

  Transport& transport_;
  const HostLayout& layout_;
  SharedChunkBuffer& shared_;
  HalvingExchange halving_;
  const int host_, local_rank_;
  OrderedSum whole_;               // of the values of this host's workers and the parts of the other hosts
  std::vector<OrderedSum> parts_;  // of this host
  size_t parts_of_others_ = 0, max_parts_ = 1;
  std::vector<std::vector<std::byte>> spare_;  // memory for parts: it grows with hosts, and few chunks need it at once

  // State of the current collective.
  Collective what_ = Collective::kAllReduce;
  Rounding rounding_ = Wire::kFp32;
  std::span<float> buffer_;
  size_t slice_ = kChunk;  // values that are summed at a time

  std::array<Cell, kMaxInFlight> cells_;
  size_t in_flight_ = kUsualInFlight;
  std::vector<std::vector<float>> decoded_;  // [parts of others, values]
  std::vector<float> sum_;                   // of a part that is sent rounded
  size_t next_number_ = 0;
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
