// SPDX-License-Identifier: Apache-2.0
// HostLayout tells which workers are on which host, and which of them do what in an exchange between hosts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/sum_order.h"

namespace verbund {

enum class SumsAt { kAnyHost, kOwner };

class HostLayout {
 public:
  // Texts by rank: workers with the same text are on one host.
  explicit HostLayout(const std::vector<std::string>& host_of_rank);

  int workers() const { return static_cast<int>(host_of_.size()); }
  int hosts() const { return static_cast<int>(ranks_.size()); }
  int host_of(int rank) const { return host_of_[static_cast<size_t>(rank)]; }
  const std::vector<int>& ranks_of(int host) const { return ranks_[static_cast<size_t>(host)]; }
  int local_rank(int rank) const;

  // The sums that a host adds by itself and sends, see collectives/sum_order.h: one part, if its ranks are a range of
  // the tree.
  const std::vector<RankRange>& parts_of(int host) const { return parts_[static_cast<size_t>(host)]; }

  // The rank that sums a chunk: its owner, or, where all workers get the sum, the hosts in turn and their workers in
  // turn. (Where hosts have different numbers of parts, those with the most sum all chunks, if that sends fewer bytes.)
  int summing_rank(size_t chunk, SumsAt where) const;
  // Traffic of the busiest host in an all-reduce, in gradients: 2 (h-1)/h of h hosts that send one part each.
  double max_traffic() const { return max_traffic(summing_hosts_); }
  // Traffic of all hosts together in an all-reduce, in gradients.
  double all_traffic() const;
  // The chunk leader: the worker of a host that sends and receives a chunk for it.
  int chunk_leader(int host, size_t chunk, SumsAt where) const;

 private:
  double max_traffic(const std::vector<int>& summing_hosts) const;

  std::vector<int> host_of_;             // by rank
  std::vector<std::vector<int>> ranks_;  // by host
  std::vector<std::vector<RankRange>> parts_;
  std::vector<int> summing_hosts_;
};

}  // namespace verbund
