// SPDX-License-Identifier: Apache-2.0
#include "collectives/hierarchical_communicator.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr int kTag = 1;

// Buffers are broadcast in slices, so that few messages are in flight.
constexpr size_t kBroadcastSlice = 256 * kChunk;

std::span<const float> values_of(std::span<const float> buffer, const Chunk& chunk) {
  return buffer.subspan(chunk.place.begin, chunk.place.size());
}
std::span<float> values_of(std::span<float> buffer, const Chunk& chunk) {
  return buffer.subspan(chunk.place.begin, chunk.place.size());
}

}  // namespace

HierarchicalCommunicator::HierarchicalCommunicator(std::unique_ptr<Transport> transport,
                                                   const LeaderExchange::Asking& asking)
    : transport_(std::move(transport)) {
  share_memory(asking);
  greet_other_hosts(asking);
}

// Until the hosts are known, each worker counts as a host of its own. The first worker of each host makes the shared
// memory of its workers. Where that fails, each worker of that host stays a host of its own, which is slower but gives
// the same sums.
void HierarchicalCommunicator::share_memory(const LeaderExchange::Asking& asking) {
  std::vector<std::string> hosts;
  for (int other = 0; other < size(); ++other) hosts.push_back(std::to_string(other));
  const HostLayout apart(hosts);
  LeaderExchange everybody(*transport_, apart, HostGatherBuffer(), asking);
  hosts = everybody.gather(transport_->host());
  layout_.emplace(hosts);
  const std::vector<int>& neighbours = layout_->ranks_of(layout_->host_of(rank()));
  const auto workers = static_cast<int>(neighbours.size());
  const size_t buffer_bytes = HostGatherBuffer::bytes_for(workers);
  const size_t bytes = buffer_bytes + SharedChunkBuffer::bytes_for(workers);
  debug("worker {}: shares {} bytes of memory with {} worker(s) of its host", rank(), workers > 1 ? bytes : 0,
        workers - 1);
  NamedMemory own;
  std::string trouble;
  if (workers > 1 && neighbours[0] == rank()) {
    try {
      own = transport_->make_shared_memory(bytes);
    } catch (const Error& error) {
      trouble = error.what();
    }
  }
  const std::string made = everybody.gather(own.name)[static_cast<size_t>(neighbours[0])];
  std::shared_ptr<std::byte> memory = std::move(own.begin);
  if (workers > 1 && memory == nullptr) memory = transport_->find_shared_memory(made, bytes);
  const std::vector<std::string> found = everybody.gather(workers == 1 || memory != nullptr ? "yes" : "no");
  transport_->unname_shared_memory();

  for (int host = 0; host < layout_->hosts(); ++host) {
    const std::vector<int>& ranks = layout_->ranks_of(host);
    const auto lacks = [&](int one) { return found[static_cast<size_t>(one)] == "no"; };
    if (std::none_of(ranks.begin(), ranks.end(), lacks)) continue;
    if (ranks[0] == rank()) {
      warn(
          "the {} workers of this host cannot share memory ({}): each of them exchanges its gradients over the network",
          ranks.size(), trouble.empty() ? "some of them cannot open it" : trouble);
    }
    for (const int one : ranks) hosts[static_cast<size_t>(one)] += fmt::format(" worker {}", one);
  }
  const bool alone = workers == 1 || hosts[static_cast<size_t>(rank())] != transport_->host();
  layout_.emplace(hosts);
  if (alone) {
    shared_.emplace();
    leaders_.emplace(*transport_, *layout_, HostGatherBuffer(), asking);
  } else {
    const int self = layout_->local_rank(rank());
    shared_.emplace(std::shared_ptr<std::byte>(memory, memory.get() + buffer_bytes), workers, self);
    leaders_.emplace(*transport_, *layout_, HostGatherBuffer(memory, workers, self), asking);
  }
  exchange_.emplace(*transport_, *layout_, *shared_);
}

// Greets the worker with the same local rank on every other host, if there is one: all hosts meet, over the connections
// that the exchange of buffers uses.
void HierarchicalCommunicator::greet_other_hosts(const LeaderExchange::Asking& asking) {
  struct Greeting {
    int rank;
    std::byte hello{1}, answer{0};
    int sending = 0, receiving = 0;
  };
  std::vector<Greeting> greetings;
  const int host = layout_->host_of(rank());
  const auto self = static_cast<size_t>(layout_->local_rank(rank()));
  for (int other = 0; other < layout_->hosts(); ++other) {
    if (other != host && self < layout_->ranks_of(other).size()) greetings.push_back({layout_->ranks_of(other)[self]});
  }
  for (Greeting& one : greetings) {
    transport_->receive(one.rank, kTag, {&one.answer, 1}, one.receiving);
    transport_->send(one.rank, kTag, {&one.hello, 1}, one.sending);
  }
  auto missing = greetings.begin();
  for (PollBackoff backoff; missing != greetings.end();) {
    asking(missing->rank, 0);
    if (missing->sending == 0 && missing->receiving == 0) {
      ++missing;
    } else if (transport_->progress()) {
      backoff.renew();
    } else {
      transport_->pause(backoff.next());
    }
  }
}

void HierarchicalCommunicator::send(int to, std::span<const std::byte> data) {
  transport_->send(to, kTag, data, under_way_);
  if (layout_->host_of(to) != layout_->host_of(rank())) bytes_sent_ += data.size();
}

void HierarchicalCommunicator::receive(int from, std::span<std::byte> data) {
  transport_->receive(from, kTag, data, under_way_);
}

void HierarchicalCommunicator::finish() {
  for (PollBackoff backoff; under_way_ > 0;) {
    if (transport_->progress()) {
      backoff.renew();
    } else {
      transport_->pause(backoff.next());
    }
  }
}

void HierarchicalCommunicator::exchange_with(int other, std::span<const std::byte> outgoing,
                                             std::span<std::byte> incoming) {
  receive(other, incoming);
  send(other, outgoing);
  finish();
}

void HierarchicalCommunicator::sum(std::span<double> values) {
  leaders_->combine(values, [](std::span<const double> all, std::span<double> sums) {
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = 0;
      for (size_t at = i; at < all.size(); at += sums.size()) sums[i] += all[at];
    }
  });
}

void HierarchicalCommunicator::max(std::span<double> values) {
  leaders_->combine(values, [](std::span<const double> all, std::span<double> largest) {
    for (size_t i = 0; i < largest.size(); ++i) {
      largest[i] = all[i];
      for (size_t at = i; at < all.size(); at += largest.size()) largest[i] = std::max(largest[i], all[at]);
    }
  });
}

std::vector<std::string> HierarchicalCommunicator::gather(const std::string& own) { return leaders_->gather(own); }

std::string HierarchicalCommunicator::broadcast(const std::string& text) {
  return gather(rank() == 0 ? text : "").front();
}

void HierarchicalCommunicator::all_reduce(std::span<float> buffer, Interval interval, Rounding rounding) {
  exchange_->run(Collective::kAllReduce, buffer, interval, rounding);
}

void HierarchicalCommunicator::reduce_scatter(std::span<float> buffer, Interval interval, Rounding rounding) {
  exchange_->run(Collective::kReduceScatter, buffer, interval, rounding);
}

void HierarchicalCommunicator::all_gather(std::span<float> buffer, Interval interval, Wire wire) {
  exchange_->run(Collective::kAllGather, buffer, interval, wire);
}

// Each chunk goes to its owner, and from there to all: worker 0 sends twice the buffer, however
// many workers there are.
void HierarchicalCommunicator::broadcast(std::span<float> buffer) {
  for (size_t begin = 0; begin < buffer.size(); begin += kBroadcastSlice) {
    const Interval interval = {begin, std::min(begin + kBroadcastSlice, buffer.size())};
    for (const Chunk& chunk : chunks_of(interval, size())) {
      const std::span<float> values = values_of(buffer, chunk);
      if (rank() == 0 && chunk.owner != 0) send(chunk.owner, std::as_bytes(values));
      if (rank() != 0 && chunk.owner == rank()) receive(0, std::as_writable_bytes(values));
    }
    finish();
    all_gather(buffer, interval, Wire::kFp32);
  }
}

void HierarchicalCommunicator::gather_chunks(std::span<const float> own, std::span<float> all, size_t buffer_size,
                                             const HolderOf& holder) {
  size_t at = 0;
  for (const Chunk& chunk : chunks_of({0, buffer_size}, size())) {
    const int held_by = holder(chunk.place.begin / kChunk);
    if (held_by == kNobody) continue;
    if (held_by == rank()) {
      const std::span<const float> values = own.subspan(at, chunk.place.size());
      at += values.size();
      if (rank() == 0) {
        std::copy(values.begin(), values.end(), values_of(all, chunk).begin());
      } else {
        send(0, std::as_bytes(values));
      }
    } else if (rank() == 0) {
      receive(held_by, std::as_writable_bytes(values_of(all, chunk)));
    }
  }
  finish();
}

void HierarchicalCommunicator::scatter_chunks(std::span<const float> all, std::span<float> own, size_t buffer_size,
                                              const HolderOf& holder) {
  size_t at = 0;
  for (const Chunk& chunk : chunks_of({0, buffer_size}, size())) {
    const int held_by = holder(chunk.place.begin / kChunk);
    if (held_by == kNobody) continue;
    if (held_by == rank()) {
      const std::span<float> values = own.subspan(at, chunk.place.size());
      at += values.size();
      if (rank() == 0) {
        std::copy_n(values_of(all, chunk).begin(), values.size(), values.begin());
      } else {
        receive(0, std::as_writable_bytes(values));
      }
    } else if (rank() == 0) {
      send(held_by, std::as_bytes(values_of(all, chunk)));
    }
  }
  finish();
}

}  // namespace verbund
