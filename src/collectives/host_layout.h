// Which workers are on which host, and who does what of an exchange between hosts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/sum_order.h"

namespace verbund {

enum class SumsAt { kAnyHost, kOwner };

class HostLayout {
 public:
  // By rank: workers with the same text are on one host.
  explicit HostLayout(const std::vector<std::string>& host_of_rank);

  int workers() const { return static_cast<int>(host_of_.size()); }
  int hosts() const { return static_cast<int>(ranks_.size()); }
  int host_of(int rank) const { return host_of_[static_cast<size_t>(rank)]; }
  const std::vector<int>& ranks_of(int host) const { return ranks_[static_cast<size_t>(host)]; }
  int local_rank(int rank) const;

  // What a host adds up by itself and sends, see comm/sum_order.h: one part, if its ranks are a range of the tree.
  const std::vector<RankRange>& parts_of(int host) const { return parts_[static_cast<size_t>(host)]; }

  // With whom a chunk's parts come together: its owner, or, where all get the sum, the hosts in turn and their workers
  // in turn. (Of hosts with unlike numbers of parts those with most do it all, if fewer bytes travel then.)
  int summing_rank(size_t chunk, SumsAt where) const;
  // Gradients that leave or enter the busiest host in an all-reduce: 2 (h-1)/h of h hosts that send one part each.
  double most_traffic() const { return most_traffic(summing_hosts_); }
  // Who of a host sends and receives a chunk for it.
  int chunk_leader(int host, size_t chunk, SumsAt where) const;

 private:
  double most_traffic(const std::vector<int>& summing_hosts) const;

  std::vector<int> host_of_;             // by rank
  std::vector<std::vector<int>> ranks_;  // by host
  std::vector<std::vector<RankRange>> parts_;
  std::vector<int> summing_hosts_;
};

}  // namespace verbund
