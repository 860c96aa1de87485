// SPDX-License-Identifier: Apache-2.0
#include "collectives/halving_exchange.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace verbund {
namespace {

constexpr int kHalvingTag = 3;
constexpr size_t kSmallestHalvedSlice = 2048;  // values

void add(std::span<const float> left, std::span<const float> right, float* sum) {
  for (size_t i = 0; i < left.size(); ++i) sum[i] = left[i] + right[i];
}

}  // namespace

// Hosts and their workers must be nodes of the tree in which ranks are added.
bool HalvingExchange::suits(const HostLayout& layout) {
  const size_t workers = layout.ranks_of(0).size();
  if (layout.hosts() < kFewestHosts || !std::has_single_bit(static_cast<unsigned>(layout.hosts()))) return false;
  if (!std::has_single_bit(workers)) return false;
  for (int host = 0; host < layout.hosts(); ++host) {
    const RankRange ranks = {host * static_cast<int>(workers), (host + 1) * static_cast<int>(workers)};
    if (layout.ranks_of(host).size() != workers || layout.parts_of(host) != std::vector{ranks}) return false;
  }
  return true;
}

HalvingExchange::HalvingExchange(Transport& transport, const HostLayout& layout, SharedChunkBuffer& shared)
    : transport_(transport),
      layout_(layout),
      shared_(shared),
      host_(layout.host_of(transport.rank())),
      local_rank_(layout.local_rank(transport.rank())),
      suits_(suits(layout)) {}

void HalvingExchange::all_reduce(std::span<float> buffer, size_t& next_chunk) {
  if (!shared_.is_shared()) return reduce_over_hosts(buffer);
  // So small slices that every worker of the host has one to sum.
  size_t slice = kChunk;
  while (slice > kSmallestHalvedSlice && buffer.size() < slice * static_cast<size_t>(shared_.workers())) slice /= 2;
  const size_t window = slice * kMaxInFlight;
  for (size_t begin = 0; begin < buffer.size(); begin += window) {
    reduce_window(buffer.subspan(begin, std::min(window, buffer.size() - begin)), slice, next_chunk);
  }
}

// Reduces as many slices as the shared memory has places for. The workers of a host sum them in turn, each over all
// hosts with those that have its place there.
void HalvingExchange::reduce_window(std::span<float> window, size_t slice, size_t& next_chunk) {
  const size_t first = next_chunk, slices = (window.size() + slice - 1) / slice;
  next_chunk += slices;
  const auto values_of = [&](size_t i) {
    return window.subspan(i * slice, std::min(slice, window.size() - i * slice));
  };
  const auto wait_until = [&](const auto& condition) {
    for (PollBackoff backoff;;) {
      const uint32_t events = shared_.events();
      if (condition()) return;
      transport_.progress();  // which ends the wait when another worker has failed
      shared_.wait(events, std::max(backoff.next(), std::chrono::nanoseconds(1)));
    }
  };
  for (size_t i = 0; i < slices; ++i) {
    std::memcpy(shared_.values_of(local_rank_, first + i), values_of(i).data(), values_of(i).size_bytes());
    shared_.enter(first + i);
  }
  wait_until([&] { return shared_.all_entered(first + slices - 1); });

  const std::vector<int>& ranks = layout_.ranks_of(host_);
  std::vector<RankRange> workers;
  for (const int rank : ranks) workers.push_back({rank, rank + 1});
  const OrderedSum sum_of_host({ranks.front(), ranks.back() + 1}, workers);
  const auto own = static_cast<size_t>(local_rank_);
  sums_.clear();
  for (size_t i = own; i < slices; i += workers.size()) {
    std::vector<const float*> sources;
    for (int worker = 0; worker < shared_.workers(); ++worker) {
      sources.push_back(shared_.values_of(worker, first + i));
    }
    sums_.resize(sums_.size() + values_of(i).size());
    sum_of_host.add(sources, values_of(i).size(), sums_.data() + sums_.size() - values_of(i).size());
  }
  reduce_over_hosts(sums_);
  const float* sums = sums_.data();
  for (size_t i = own; i < slices; i += workers.size()) {
    std::memcpy(shared_.result(first + i), sums, values_of(i).size_bytes());
    sums += values_of(i).size();
    shared_.finish(first + i);
  }
  for (size_t i = 0; i < slices; ++i) {
    wait_until([&] { return shared_.is_finished(first + i); });
    std::memcpy(values_of(i).data(), shared_.result(first + i), values_of(i).size_bytes());
  }
}

void HalvingExchange::reduce_over_hosts(std::span<float> sums) {
  std::vector<std::span<float>> halved;  // what was divided in each step
  std::span<float> own = sums;
  for (int bit = 1; bit < layout_.hosts(); bit *= 2) {
    halved.push_back(own);
    const std::span<float> lower = own.first(own.size() / 2), upper = own.subspan(own.size() / 2);
    const bool is_lower = (host_ & bit) == 0;
    own = is_lower ? lower : upper;
    incoming_.resize(std::max(incoming_.size(), own.size()));
    const std::span<float> theirs = std::span(incoming_).first(own.size());
    exchange(host_ ^ bit, is_lower ? upper : lower, theirs);
    is_lower ? add(own, theirs, own.data()) : add(theirs, own, own.data());
  }
  for (int bit = layout_.hosts() / 2; bit > 0; bit /= 2) {
    const std::span<float> both = halved.back();
    halved.pop_back();
    const bool is_lower = (host_ & bit) == 0;
    exchange(host_ ^ bit, own, is_lower ? both.subspan(own.size()) : both.first(both.size() - own.size()));
    own = both;
  }
}

// Exchanges with the worker of another host that has this one's place there.
void HalvingExchange::exchange(int host, std::span<const float> outgoing, std::span<float> incoming) {
  const int other = layout_.ranks_of(host)[static_cast<size_t>(local_rank_)];
  if (!incoming.empty()) transport_.receive(other, kHalvingTag, std::as_writable_bytes(incoming), under_way_);
  if (!outgoing.empty()) transport_.send(other, kHalvingTag, std::as_bytes(outgoing), under_way_);
  bytes_sent_ += outgoing.size_bytes();
  for (PollBackoff backoff; under_way_ > 0;) {
    if (transport_.progress()) {
      backoff.renew();
    } else {
      transport_.pause(backoff.next());
    }
  }
}

}  // namespace verbund
