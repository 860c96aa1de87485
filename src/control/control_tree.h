// SPDX-License-Identifier: Apache-2.0
// ControlTree tells which workers have a control connection: the leader of each host, its first rank, has one to
// worker 0, and the other workers of a host have one to their leader. So the connections of worker 0 grow with the
// hosts.
#pragma once

#include <cstddef>
#include <vector>

#include "control/worker.h"

namespace verbund {

class ControlTree {
 public:
  ControlTree() = default;
  // Workers with the same host name are on one host, as in Worker::local_rank.
  explicit ControlTree(const std::vector<Worker>& workers);

  size_t size() const { return parents_.size(); }
  // Worker 0 is its own parent.
  size_t parent(size_t rank) const { return parents_[rank]; }
  // The children of a rank, in the order of ranks.
  const std::vector<size_t>& children(size_t rank) const { return children_[rank]; }
  // The neighbour of `from`, its parent or a child, to which it hands what is for another rank.
  size_t next_hop(size_t from, size_t to) const;
  // Worker 0 hears all workers; the others hear those above them, and their children.
  bool hears(size_t rank, size_t other) const;

 private:
  std::vector<size_t> parents_;                // by rank
  std::vector<std::vector<size_t>> children_;  // by rank
};

}  // namespace verbund
