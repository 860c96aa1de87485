// SPDX-License-Identifier: Apache-2.0
#include "collectives/leader_exchange.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace verbund {
namespace {

constexpr int kLeadersTag = 2;
// Partners of a leader in a round. More of them make fewer rounds of more messages: up to 8 hosts meet in one round,
// 1,024 in four.
constexpr int kPartners = 7;
constexpr size_t kNumbersInPlace = HostGatherBuffer::kPlace / sizeof(double);
constexpr int kLastRound = 10;                          // after those of the leaders: their workers wait for them
constexpr std::chrono::milliseconds kLongestSleep{10};  // on the buffer, where events end it earlier

void copy(std::span<const std::byte> from, std::byte* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

template <typename Value>
std::vector<Value> values_of(std::span<const std::byte> bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  copy(bytes, std::as_writable_bytes(std::span(values)).data());
  return values;
}

template <typename Value>
std::vector<std::byte> bytes_of(const std::vector<Value>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

LeaderExchange::LeaderExchange(Transport& transport, const HostLayout& layout, HostGatherBuffer buffer, Asking asking)
    : transport_(transport),
      layout_(layout),
      host_(layout.host_of(transport.rank())),
      buffer_(std::move(buffer)),
      asking_(std::move(asking)) {}

void LeaderExchange::combine(std::span<double> values, const Combine& combine) {
  while (!values.empty()) {
    const std::span<double> some = values.first(std::min(values.size(), kNumbersInPlace));
    const Sizes sizes(static_cast<size_t>(layout_.workers()), some.size_bytes());
    const Bytes result = share(std::as_bytes(some), some.size_bytes(), [&] {
      std::vector<double> combined(some.size());
      combine(values_of<double>(exchange_between_hosts(posted(sizes), sizes)), combined);
      return bytes_of(combined);
    });
    copy(result, std::as_writable_bytes(some).data());
    values = values.subspan(some.size());
  }
}

LeaderExchange::Sizes LeaderExchange::gather_sizes(size_t own) {
  const Sizes sizes(static_cast<size_t>(layout_.workers()), sizeof own);
  return values_of<size_t>(share(std::as_bytes(std::span(&own, 1)), sizes.size() * sizeof own,
                                 [&] { return exchange_between_hosts(posted(sizes), sizes); }));
}

// Texts are posted in as many parts as the longest one of the host needs.
std::vector<std::string> LeaderExchange::gather(const std::string& own) {
  const Sizes sizes = gather_sizes(own.size());
  const std::vector<int>& neighbours = layout_.ranks_of(host_);
  size_t longest = 0;
  for (const int rank : neighbours) longest = std::max(longest, sizes[static_cast<size_t>(rank)]);
  std::vector<Bytes> texts(neighbours.size());  // on the leader
  size_t begin = 0;
  const auto take_parts = [&] {
    for (size_t i = 0; i < neighbours.size(); ++i) {
      const size_t size = sizes[static_cast<size_t>(neighbours[i])];
      if (begin >= size) continue;
      const auto part = buffer_.place_of(static_cast<int>(i)).first(std::min(size - begin, HostGatherBuffer::kPlace));
      texts[i].insert(texts[i].end(), part.begin(), part.end());
    }
  };
  const auto own_part = [&] {
    const auto left = std::as_bytes(std::span(own)).subspan(std::min(begin, own.size()));
    return left.first(std::min(left.size(), HostGatherBuffer::kPlace));
  };
  for (; begin + HostGatherBuffer::kPlace < longest; begin += HostGatherBuffer::kPlace) meet(own_part(), take_parts);
  const Bytes all = share(own_part(), std::accumulate(sizes.begin(), sizes.end(), size_t{0}), [&] {
    take_parts();
    Bytes block;
    for (const Bytes& text : texts) block.insert(block.end(), text.begin(), text.end());
    return exchange_between_hosts(std::move(block), sizes);
  });
  std::vector<std::string> result;
  size_t at = 0;
  for (const size_t size : sizes) {
    result.emplace_back(reinterpret_cast<const char*>(all.data()) + at, size);
    at += size;
  }
  return result;
}

// The bytes that the workers of this host have posted, one after the other.
LeaderExchange::Bytes LeaderExchange::posted(const Sizes& sizes) const {
  Bytes bytes;
  const std::vector<int>& neighbours = layout_.ranks_of(host_);
  for (size_t i = 0; i < neighbours.size(); ++i) {
    const auto place = buffer_.place_of(static_cast<int>(i)).first(sizes[static_cast<size_t>(neighbours[i])]);
    bytes.insert(bytes.end(), place.begin(), place.end());
  }
  return bytes;
}

// One meeting at the buffer: each worker posts its bytes, and when all have, the leader does its part.
void LeaderExchange::meet(std::span<const std::byte> own, const std::function<void()>& lead) {
  copy(own, buffer_.own_place().data());
  buffer_.post();
  for (const PollBackoff backoff; !(buffer_.leads() ? buffer_.all_posted() : buffer_.is_published());) {
    if (asking_) buffer_.leads() ? asking_(kNeighbours, 0) : asking_(leader(host_), kLastRound);
    transport_.progress();  // where the transport can tell that another worker has failed, this fails as well
    if (backoff.next().count() == 0) {
      transport_.pause(std::chrono::nanoseconds(0));
    } else {
      buffer_.wait(kLongestSleep);
    }
  }
  if (!buffer_.leads()) return;
  lead();
  buffer_.publish();
}

// Each worker posts its bytes, the leader makes `size` bytes of all, and all workers of the host get these, in as many
// meetings as the buffer needs for them.
LeaderExchange::Bytes LeaderExchange::share(std::span<const std::byte> own, size_t size,
                                            const std::function<Bytes()>& lead) {
  Bytes made, shared(buffer_.leads() ? 0 : size);
  size_t begin = 0;
  const auto part = [&] { return std::min(size - begin, HostGatherBuffer::kAnswer); };
  const auto show_part = [&] { copy(std::span(made).subspan(begin, part()), buffer_.answer().data()); };
  meet(own, [&] {
    made = lead();
    show_part();
  });
  while (true) {
    if (!buffer_.leads()) copy(buffer_.answer().first(part()), shared.data() + begin);
    begin += part();
    if (begin == size) return buffer_.leads() ? made : shared;
    meet({}, show_part);
  }
}

// The bytes of all workers, in the order of ranks, of which this host has its own. The leader's part.
LeaderExchange::Bytes LeaderExchange::exchange_between_hosts(Bytes own, const Sizes& sizes) {
  const int hosts = layout_.hosts();
  std::vector<size_t> begins = {0};  // of the blocks of this host, the next one, and so on in turn
  for (int i = 0; i < hosts; ++i) {
    size_t size = 0;
    for (const int rank : layout_.ranks_of((host_ + i) % hosts)) size += sizes[static_cast<size_t>(rank)];
    begins.push_back(begins.back() + size);
  }
  Bytes blocks = std::move(own);
  blocks.resize(begins.back());
  const auto part = [&](int first, int count) {
    const int end = first + count;
    const size_t begin = begins[static_cast<size_t>(first)];
    return std::span(blocks).subspan(begin, begins[static_cast<size_t>(end)] - begin);
  };
  int round = 0;
  for (int known = 1; known < hosts; known *= kPartners + 1) {
    std::list<Partner> partners;
    for (int away = known; away < hosts && away <= kPartners * known; away += known) {
      const int count = std::min(known, hosts - away);
      start_exchange(partners.emplace_back(leader(host_ + hosts - away), leader(host_ + away)), part(0, count),
                     part(away, count));
    }
    wait_for(partners, ++round);
  }
  return in_order_of_ranks(blocks, sizes);
}

void LeaderExchange::start_exchange(Partner& partner, std::span<const std::byte> outgoing,
                                    std::span<std::byte> incoming) {
  transport_.receive(partner.from, kLeadersTag, incoming, partner.receiving);
  transport_.send(partner.to, kLeadersTag, outgoing, partner.sending);
  bytes_sent_ += outgoing.size();
}

void LeaderExchange::wait_for(std::list<Partner>& partners, int round) {
  for (PollBackoff backoff; !partners.empty();) {
    const Partner& first = partners.front();
    if (first.sending == 0 && first.receiving == 0) {
      partners.pop_front();
      continue;
    }
    if (asking_) asking_(first.receiving > 0 ? first.from : first.to, round);
    if (transport_.progress()) {
      backoff.renew();
    } else {
      transport_.pause(backoff.next());
    }
  }
}

LeaderExchange::Bytes LeaderExchange::in_order_of_ranks(const Bytes& blocks, const Sizes& sizes) const {
  std::vector<size_t> begins = {0};  // by rank
  for (const size_t size : sizes) begins.push_back(begins.back() + size);
  Bytes ordered(blocks.size());
  size_t at = 0;
  for (int i = 0; i < layout_.hosts(); ++i) {
    for (const int one : layout_.ranks_of((host_ + i) % layout_.hosts())) {
      const auto rank = static_cast<size_t>(one);
      copy(std::span(blocks).subspan(at, sizes[rank]), ordered.data() + begins[rank]);
      at += sizes[rank];
    }
  }
  return ordered;
}

}  // namespace verbund
