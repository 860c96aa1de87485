// SPDX-License-Identifier: Apache-2.0
// LeaderExchange gathers a few numbers or a text of every worker. The workers of a host show theirs to its leader
// (collectives/host_board.h), the leaders exchange what they have, and each hands the result to its host.
//
// Between h leaders it takes log2(h) rounds, rounded up (Bruck's all-gather): a leader sends what it has to the leader
// d hosts before it, and receives as much from the one d hosts after it, where d is 1, 2, 4, ...; so each round doubles
// what it has. Nothing is added up on the way: every leader gets the numbers of all workers and adds them in the order
// of ranks, so a sum has the same bits on any hosts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/host_board.h"
#include "collectives/host_layout.h"
#include "collectives/transport.h"

namespace verbund {

class LeaderExchange {
 public:
  // Is told for whom this worker waits, and in which round: those who wait in a later one may wait for others who wait.
  using Asking = std::function<void(int rank, int round)>;

  // Transport and layout must outlive this.
  LeaderExchange(Transport& transport, const HostLayout& layout, HostBoard board, Asking asking = {});

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

  Bytes share(std::span<const std::byte> own, size_t size, const std::function<Bytes()>& lead);
  void meet(std::span<const std::byte> own, const std::function<void()>& lead);
  Bytes exchange_between_hosts(Bytes own, const Sizes& sizes);
  void exchange_with(int to, std::span<const std::byte> outgoing, int from, std::span<std::byte> incoming, int round);
  Bytes in_order_of_ranks(const Bytes& blocks, const Sizes& sizes) const;
  Bytes posted(const Sizes& sizes) const;
  Sizes gather_sizes(size_t own);
  int leader(int host) const { return layout_.ranks_of(host % layout_.hosts()).front(); }

  Transport& transport_;
  const HostLayout& layout_;
  const int host_;
  HostBoard board_;
  Asking asking_;
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
