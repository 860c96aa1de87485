// SPDX-License-Identifier: Apache-2.0
// HalvingExchange all-reduces a small buffer over many hosts by recursive halving and doubling. In step k, hosts whose
// numbers differ in bit k alone exchange halves of what they still sum, and each adds the half that it keeps; then they
// return the sums in the opposite order. So of h hosts each sends 2 (h-1)/h of the buffer, as ChunkExchange does, in
// 2 log2(h) messages instead of about 4 (h-1), but after 2 log2(h) round trips instead of two.
//
// Step k adds the sums of two neighbouring groups of 2^k hosts: that is the tree of collectives/sum_order.h, so the
// bits are those of ChunkExchange. It needs 2^i hosts with the same number of workers, 2^j, whose ranks are adjacent.
#pragma once

#include <span>
#include <vector>

#include "collectives/host_layout.h"
#include "collectives/shared_chunk_buffer.h"
#include "collectives/transport.h"

namespace verbund {

class HalvingExchange {
 public:
  // `shared`: the buffer of this worker's host. All three must outlive this.
  HalvingExchange(Transport& transport, const HostLayout& layout, SharedChunkBuffer& shared);

  // Whether it is possible on these hosts, and fewer messages may be worth more round trips. Up to 128 hosts they were
  // not where it was measured (docs/workers.md).
  static constexpr int kFewestHosts = 256;
  static bool suits(const HostLayout& layout);
  // The largest buffer for which they are: less than a chunk for each host.
  static size_t values_below(int hosts) { return kChunk * static_cast<size_t>(hosts); }
  bool suits(size_t values) const { return suits_ && values < values_below(layout_.hosts()); }

  // Collective. `next_chunk`: the number of the next chunk in the shared memory.
  void all_reduce(std::span<float> buffer, size_t& next_chunk);
  uint64_t bytes_sent() const { return bytes_sent_; }  // to other hosts

 private:
  void reduce_window(std::span<float> window, size_t slice, size_t& next_chunk);
  void reduce_over_hosts(std::span<float> sums);
  void exchange(int host, std::span<const float> outgoing, std::span<float> incoming);

  Transport& transport_;
  const HostLayout& layout_;
  SharedChunkBuffer& shared_;
  const int host_, local_rank_;
  const bool suits_;
  std::vector<float> sums_, incoming_;
  int under_way_ = 0;  // messages
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
