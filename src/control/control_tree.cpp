// SPDX-License-Identifier: Apache-2.0
#include "control/control_tree.h"

#include <map>

namespace verbund {

ControlTree::ControlTree(const std::vector<Worker>& workers) : children_(workers.size()) {
  std::map<std::string, size_t> leaders;  // by host
  for (size_t rank = 0; rank < workers.size(); ++rank) {
    const size_t leader = leaders.try_emplace(workers[rank].host, rank).first->second;
    parents_.push_back(leader == rank ? 0 : leader);
    if (rank != 0) children_[parents_[rank]].push_back(rank);
  }
}

size_t ControlTree::next_hop(size_t from, size_t to) const {
  for (size_t below = to; below != 0; below = parent(below)) {
    if (parent(below) == from) return below;
  }
  return parent(from);
}

bool ControlTree::hears(size_t rank, size_t other) const {
  return rank != other && (rank == 0 || other == 0 || parent(rank) == other || parent(other) == rank);
}

}  // namespace verbund
