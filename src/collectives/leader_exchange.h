// SPDX-License-Identifier: Apache-2.0
// LeaderExchange gathers a few numbers or a text of every worker. The workers of a host show theirs to its leader
// (collectives/host_gather_buffer.h), the leaders exchange what they have, and each hands the result to its host.
//
// Between h leaders it takes log8(h) rounds, rounded up (Bruck's all-gather): a leader that has the blocks of k hosts
// sends them to the leaders k, 2k, ... 7k hosts before it, and receives as much from those after it, so each round
// multiplies what it has by eight. Nothing is added up on the way: every leader gets the numbers of all workers and
// adds them in the order of ranks, so a sum has the same bits on any hosts.
#pragma once

#include <functional>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "collectives/host_gather_buffer.h"
#include "collectives/host_layout.h"
#include "collectives/transport.h"

namespace verbund {

class LeaderExchange {
 public:
  // Called with the awaited rank and the round. Waits in later rounds may be consequences of an earlier one.
  using Asking = std::function<void(int rank, int round)>;
  static constexpr int kNeighbours = -2;  // instead of a rank: a leader waits for some worker of its host

  // Transport and layout must outlive this.
  LeaderExchange(Transport& transport, const HostLayout& layout, HostGatherBuffer buffer, Asking asking = {});

  // Collective. Replaces the values by what `combine` makes of those of all workers, [workers, count]; it is called on
  // the leaders, with some of the values at a time if there are many.
  using Combine = std::function<void(std::span<const double> all, std::span<double> result)>;
  void combine(std::span<double> values, const Combine& combine);

  // Collective. The text of every worker, by rank.
  std::vector<std::string> gather(const std::string& own);

  uint64_t bytes_sent() const { return bytes_sent_; }  // to other hosts

 private:
  using Bytes = std::vector<std::byte>;
  using Sizes = std::vector<size_t>;  // by rank
  // The leaders of two hosts: one gets what this one has, the other has what this one lacks.
  struct Partner {
    Partner(int receiver, int sender) : to(receiver), from(sender) {}
    int to, from;
    int sending = 0, receiving = 0;  // messages under way
  };

  Bytes share(std::span<const std::byte> own, size_t size, const std::function<Bytes()>& lead);
  void meet(std::span<const std::byte> own, const std::function<void()>& lead);
  Bytes exchange_between_hosts(Bytes own, const Sizes& sizes);
  void start_exchange(Partner& partner, std::span<const std::byte> outgoing, std::span<std::byte> incoming);
  void wait_for(std::list<Partner>& partners, int round);
  Bytes in_order_of_ranks(const Bytes& blocks, const Sizes& sizes) const;
  Bytes posted(const Sizes& sizes) const;
  Sizes gather_sizes(size_t own);
  int leader(int host) const { return layout_.ranks_of(host % layout_.hosts()).front(); }

  Transport& transport_;
  const HostLayout& layout_;
  const int host_;
  HostGatherBuffer buffer_;
  Asking asking_;
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
