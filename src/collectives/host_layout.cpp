// SPDX-License-Identifier: Apache-2.0
#include "collectives/host_layout.h"

#include <algorithm>
#include <map>

#include "collectives/chunks.h"

namespace verbund {

HostLayout::HostLayout(const std::vector<std::string>& host_of_rank) {
  std::map<std::string, int> numbers;
  for (const std::string& name : host_of_rank) {
    const int host = numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second;
    if (host == hosts()) ranks_.emplace_back();
    ranks_[static_cast<size_t>(host)].push_back(static_cast<int>(host_of_.size()));
    host_of_.push_back(host);
  }
  std::vector<int> all, with_most_parts;
  size_t most = 0;
  for (int host = 0; host < hosts(); ++host) {
    all.push_back(host);
    parts_.push_back(verbund::parts_of(ranks_of(host), workers()));
    most = std::max(most, parts_.back().size());
  }
  for (const int host : all) {
    if (parts_of(host).size() == most) with_most_parts.push_back(host);
  }
  summing_hosts_ = max_traffic(with_most_parts) < max_traffic(all) ? with_most_parts : all;
}

// The larger of outgoing and incoming traffic of the busiest host, in gradients, when these hosts sum equal shares.
double HostLayout::max_traffic(const std::vector<int>& summing_hosts) const {
  double all_parts = 0, most = 0;
  for (const std::vector<RankRange>& parts : parts_) all_parts += static_cast<double>(parts.size());
  for (int host = 0; host < hosts(); ++host) {
    const bool sums = std::find(summing_hosts.begin(), summing_hosts.end(), host) != summing_hosts.end();
    const double share = sums ? 1.0 / static_cast<double>(summing_hosts.size()) : 0;
    const auto parts = static_cast<double>(parts_of(host).size());
    most = std::max({most, (1 - share) * parts + share * (hosts() - 1), share * (all_parts - parts) + (1 - share)});
  }
  return most;
}

// A host that sums a chunk sends the sum to each other host, and gets the parts of those.
double HostLayout::all_traffic() const {
  double sent = hosts() - 1;
  for (int host = 0; host < hosts(); ++host) sent += static_cast<double>(parts_of(host).size());
  for (const int host : summing_hosts_) {
    sent -= static_cast<double>(parts_of(host).size()) / static_cast<double>(summing_hosts_.size());
  }
  return sent;
}

int HostLayout::local_rank(int rank) const {
  const std::vector<int>& ranks = ranks_of(host_of(rank));
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

int HostLayout::summing_rank(size_t chunk, SumsAt where) const {
  if (where == SumsAt::kOwner) return owner_of(chunk, workers());
  return chunk_leader(summing_hosts_[chunk % summing_hosts_.size()], chunk, where);
}

int HostLayout::chunk_leader(int host, size_t chunk, SumsAt where) const {
  const std::vector<int>& ranks = ranks_of(host);
  if (where == SumsAt::kAnyHost) return ranks[chunk / summing_hosts_.size() % ranks.size()];
  const int owner = owner_of(chunk, workers());
  return host_of(owner) == host ? owner : ranks[chunk % ranks.size()];
}

}  // namespace verbund
