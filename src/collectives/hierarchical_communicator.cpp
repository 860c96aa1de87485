// SPDX-License-Identifier: Apache-2.0
#include "collectives/hierarchical_communicator.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr int kTag = 1;

// Buffers are broadcast in pieces, so that few messages are in flight.
constexpr size_t kBroadcastPiece = 256 * kChunk;

std::span<const float> values_of(std::span<const float> buffer, const Chunk& chunk) {
  return buffer.subspan(chunk.place.begin, chunk.place.size());
}
std::span<float> values_of(std::span<float> buffer, const Chunk& chunk) {
  return buffer.subspan(chunk.place.begin, chunk.place.size());
}

}  // namespace

HierarchicalCommunicator::HierarchicalCommunicator(std::unique_ptr<Transport> transport,
                                                   const std::function<void(int)>& asking)
    : transport_(std::move(transport)) {
  layout_.emplace(std::vector<std::string>(static_cast<size_t>(size())));  // until it is known
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    std::byte hello{1}, answer{0};
    asking(other);
    exchange_with(other, {&hello, 1}, {&answer, 1});
  }
  share_memory();
}

// The first worker of each host makes the shared memory of its workers. Where that fails, each worker of that host
// counts as a host of its own, which is slower but gives the same sums.
void HierarchicalCommunicator::share_memory() {
  std::vector<std::string> hosts = gather(transport_->host());
  layout_.emplace(hosts);
  const std::vector<int>& neighbours = layout_->ranks_of(layout_->host_of(rank()));
  const auto workers = static_cast<int>(neighbours.size());
  const size_t bytes = SharedChunkBuffer::bytes_for(workers);
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
  const std::string made = gather(own.name)[static_cast<size_t>(neighbours[0])];
  std::shared_ptr<std::byte> memory = std::move(own.begin);
  if (workers > 1 && memory == nullptr) memory = transport_->find_shared_memory(made, bytes);
  const std::vector<std::string> found = gather(workers == 1 || memory != nullptr ? "yes" : "no");
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
  alone ? shared_.emplace() : shared_.emplace(std::move(memory), workers, layout_->local_rank(rank()));
  exchange_.emplace(*transport_, *layout_, *shared_);
}

void HierarchicalCommunicator::send(int to, std::span<const std::byte> data) {
  transport_->send(to, kTag, data, under_way_);
  if (layout_->host_of(to) != layout_->host_of(rank())) bytes_sent_ += data.size();
}

void HierarchicalCommunicator::receive(int from, std::span<std::byte> data) {
  transport_->receive(from, kTag, data, under_way_);
}

void HierarchicalCommunicator::finish() {
  for (Patience patience; under_way_ > 0;) {
    if (transport_->progress()) {
      patience.renew();
    } else {
      transport_->pause(patience.next());
    }
  }
}

void HierarchicalCommunicator::exchange_with(int other, std::span<const std::byte> outgoing,
                                             std::span<std::byte> incoming) {
  receive(other, incoming);
  send(other, outgoing);
  finish();
}

void HierarchicalCommunicator::gather_numbers(std::span<const double> own) {
  numbers_.resize(own.size() * static_cast<size_t>(size()));
  const auto of = [&](int worker) {
    return std::span(numbers_).subspan(static_cast<size_t>(worker) * own.size(), own.size());
  };
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    receive(other, std::as_writable_bytes(of(other)));
    send(other, std::as_bytes(own));
  }
  finish();
  std::copy(own.begin(), own.end(), of(rank()).begin());
}

void HierarchicalCommunicator::sum(std::span<double> values) {
  gather_numbers(values);
  for (size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (size_t at = i; at < numbers_.size(); at += values.size()) sum += numbers_[at];
    values[i] = sum;
  }
}

void HierarchicalCommunicator::max(std::span<double> values) {
  gather_numbers(values);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t at = i; at < numbers_.size(); at += values.size()) values[i] = std::max(values[i], numbers_[at]);
  }
}

// Each text is sent once to every other host, to one worker there, which forwards it to its neighbours.
std::vector<std::string> HierarchicalCommunicator::gather(const std::string& own) {
  const double length = static_cast<double>(own.size());
  gather_numbers({&length, 1});
  std::vector<std::string> all(static_cast<size_t>(size()));
  const int host = layout_->host_of(rank());
  const auto text_of = [&](int worker) -> std::string& { return all[static_cast<size_t>(worker)]; };
  const auto receiver = [&](int worker, int where) {  // of a worker's text on another host
    const std::vector<int>& ranks = layout_->ranks_of(where);
    return ranks[static_cast<size_t>(layout_->local_rank(worker)) % ranks.size()];
  };
  for (int other = 0; other < size(); ++other)
    text_of(other).resize(static_cast<size_t>(numbers_[static_cast<size_t>(other)]));
  text_of(rank()) = own;
  const auto get = [&](int from, int worker) { receive(from, std::as_writable_bytes(std::span(text_of(worker)))); };
  const auto give = [&](int to, int worker) { send(to, std::as_bytes(std::span(text_of(worker)))); };
  for (int other = 0; other < size(); ++other) {
    if (layout_->host_of(other) != host && receiver(other, host) == rank()) get(other, other);
  }
  for (int where = 0; where < layout_->hosts(); ++where) {
    if (where != host) give(receiver(rank(), where), rank());
  }
  finish();
  for (const int neighbour : layout_->ranks_of(host)) {
    if (neighbour == rank()) continue;
    for (int worker = 0; worker < size(); ++worker) {
      const int holder = layout_->host_of(worker) == host ? worker : receiver(worker, host);
      if (holder == neighbour) get(neighbour, worker);
      if (holder == rank()) give(neighbour, worker);
    }
  }
  finish();
  return all;
}

std::string HierarchicalCommunicator::broadcast(const std::string& text) {
  return gather(rank() == 0 ? text : "").front();
}

void HierarchicalCommunicator::all_reduce(std::span<float> buffer, Interval piece, Rounding rounding) {
  exchange_->run(Collective::kAllReduce, buffer, piece, rounding);
}

void HierarchicalCommunicator::reduce_scatter(std::span<float> buffer, Interval piece, Rounding rounding) {
  exchange_->run(Collective::kReduceScatter, buffer, piece, rounding);
}

void HierarchicalCommunicator::all_gather(std::span<float> buffer, Interval piece, Wire wire) {
  exchange_->run(Collective::kAllGather, buffer, piece, wire);
}

// Each chunk goes to its owner, and from there to all: worker 0 sends twice the buffer, however
// many workers there are.
void HierarchicalCommunicator::broadcast(std::span<float> buffer) {
  for (size_t begin = 0; begin < buffer.size(); begin += kBroadcastPiece) {
    const Interval piece = {begin, std::min(begin + kBroadcastPiece, buffer.size())};
    for (const Chunk& chunk : chunks_of(piece, size())) {
      const std::span<float> values = values_of(buffer, chunk);
      if (rank() == 0 && chunk.owner != 0) send(chunk.owner, std::as_bytes(values));
      if (rank() != 0 && chunk.owner == rank()) receive(0, std::as_writable_bytes(values));
    }
    finish();
    all_gather(buffer, piece, Wire::kFp32);
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
