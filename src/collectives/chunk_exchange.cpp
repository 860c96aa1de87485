// SPDX-License-Identifier: Apache-2.0
#include "collectives/chunk_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "collectives/wire.h"

namespace verbund {
namespace {

constexpr int kFirstTag = 16;            // smaller tags are for other messages
constexpr size_t kSmallestSlice = 2048;  // values

// The values that are summed at a time: a chunk, or, where there are more hosts than chunks, so small a part of it that
// every host has one to sum. Otherwise the few hosts with a chunk would receive it from all, while the others wait.
// The order of addition does not depend on the rank that adds, so this changes no bit of fp32. Rounded wire formats are
// not split: there the result depends on who sums, which must not depend on the size of a bucket. Two hosts are busy
// with one chunk as well: one sends while the other one does.
size_t slice_of(Collective what, Interval interval, const Rounding& rounding, int hosts) {
  if (what != Collective::kAllReduce || rounding.wire != Wire::kFp32 || hosts <= 2) return kChunk;
  size_t slice = kChunk;
  while (slice > kSmallestSlice && interval.size() < slice * static_cast<size_t>(hosts)) slice /= 2;
  return slice;
}

std::vector<Interval> slices_of(Interval interval, size_t slice) {
  std::vector<Interval> slices;
  for (size_t begin = interval.begin; begin < interval.end; begin += slice) {
    slices.push_back({begin, std::min(begin + slice, interval.end)});
  }
  return slices;
}

// The terms that a chunk leader adds: one of each worker of its host, and the parts of the other hosts.
std::vector<RankRange> sources_of_whole(const HostLayout& layout, int own) {
  std::vector<RankRange> sources;
  for (const int rank : layout.ranks_of(own)) sources.push_back({rank, rank + 1});
  for (int host = 0; host < layout.hosts(); ++host) {
    if (host != own) sources.insert(sources.end(), layout.parts_of(host).begin(), layout.parts_of(host).end());
  }
  return sources;
}

}  // namespace

ChunkExchange::ChunkExchange(Transport& transport, const HostLayout& layout, SharedChunkBuffer& shared)
    : transport_(transport),
      layout_(layout),
      shared_(shared),
      halving_(transport, layout, shared),
      host_(layout.host_of(transport.rank())),
      local_rank_(layout.local_rank(transport.rank())),
      whole_({0, layout.workers()}, sources_of_whole(layout, host_)) {
  std::vector<RankRange> workers;
  for (const int rank : layout.ranks_of(host_)) workers.push_back({rank, rank + 1});
  for (const RankRange part : layout.parts_of(host_)) parts_.emplace_back(part, workers);
  for (int host = 0; host < layout.hosts(); ++host) {
    max_parts_ = std::max(max_parts_, layout.parts_of(host).size());
    if (host != host_) parts_of_others_ += layout.parts_of(host).size();
  }
}

void ChunkExchange::run(Collective what, std::span<float> buffer, Interval interval, Rounding rounding) {
  if (layout_.workers() == 1) return;
  if (what == Collective::kAllReduce && rounding.wire == Wire::kFp32 && halving_.suits(interval.size())) {
    return halving_.all_reduce(buffer.subspan(interval.begin, interval.size()), next_number_);
  }
  what_ = what;
  rounding_ = rounding;
  buffer_ = buffer;
  slice_ = slice_of(what, interval, rounding, layout_.hosts());
  const std::vector<Interval> chunks = slices_of(interval, slice_);
  const size_t first = next_number_;
  next_number_ += chunks.size();
  const auto cell_of = [&](size_t number) -> Cell& { return cells_[number % kMaxInFlight]; };
  const auto is_busy = [](const Cell& cell) { return cell.stage != Cell::Stage::kFree; };

  size_t entered = 0, left = 0;
  AdaptivePoll poll;
  size_t moves = 0;
  while (left < chunks.size() || std::any_of(cells_.begin(), cells_.end(), is_busy)) {
    const uint32_t events = shared_.events();
    bool moved = transport_.progress();
    while (entered < chunks.size() && entered < left + in_flight_ && !is_busy(cell_of(first + entered))) {
      enter(first + entered, chunks[entered]);
      ++entered;
      moved = true;
    }
    for (Cell& cell : cells_) {
      while (advance(cell)) moved = true;
    }
    while (left < entered && shared_.is_finished(first + left)) {
      leave(first + left, chunks[left]);
      ++left;
      moved = true;
    }
    if (moved) {
      ++moves;
      continue;
    }
    const std::chrono::nanoseconds pause = poll.next(std::exchange(moves, 0), entered - left);
    if (shared_.is_shared() && pause.count() > 0) {
      shared_.wait(events, pause);
    } else {
      transport_.pause(pause);
    }
  }
}

void ChunkExchange::enter(size_t number, Interval chunk) {
  const std::span<float> values = buffer_.subspan(chunk.begin, chunk.size());
  if (shared_.is_shared() && what_ != Collective::kAllGather) {
    std::memcpy(shared_.values_of(local_rank_, number), values.data(), values.size_bytes());
  }
  shared_.enter(number);
  const size_t place = chunk.begin / slice_;
  if (layout_.chunk_leader(host_, place, place_of_sums()) != transport_.rank()) return;
  Cell& cell = cells_[number % kMaxInFlight];
  cell.stage = Cell::Stage::kEntered;
  cell.number = number;
  cell.chunk = place;
  cell.values = values;
  cell.sums_here = layout_.host_of(layout_.summing_rank(place, place_of_sums())) == host_;
  if (cell.sums_here && what_ != Collective::kAllGather) receive_parts(cell);
}

void ChunkExchange::leave(size_t number, Interval chunk) {
  if (!shared_.is_shared() || what_ == Collective::kReduceScatter) return;
  std::memcpy(&buffer_[chunk.begin], shared_.result(number), chunk.size() * sizeof(float));
}

// Takes the next step of a chunk, if it is possible now.
bool ChunkExchange::advance(Cell& cell) {
  switch (cell.stage) {
    case Cell::Stage::kFree:
      return false;
    case Cell::Stage::kEntered:
      if (!shared_.all_entered(cell.number) || cell.receiving > 0) return false;
      if (cell.sums_here) {
        if (what_ != Collective::kAllGather) add_up(cell);
        if (what_ != Collective::kReduceScatter) distribute(cell);
        shared_.finish(cell.number);
        cell.stage = Cell::Stage::kLeaving;
      } else {
        if (what_ != Collective::kAllGather) send_parts(cell);
        if (what_ == Collective::kReduceScatter) shared_.finish(cell.number);
        cell.stage = what_ == Collective::kReduceScatter ? Cell::Stage::kLeaving : Cell::Stage::kSent;
      }
      return true;
    case Cell::Stage::kSent:
      // The result arrives in the memory of what is sent, so that must have been sent before.
      if (cell.sending > 0 && !shared_.is_shared()) return false;
      receive_result(cell);
      cell.stage = Cell::Stage::kReceiving;
      return true;
    case Cell::Stage::kReceiving:
      if (cell.receiving > 0) return false;
      take_result(cell);
      shared_.finish(cell.number);
      cell.stage = Cell::Stage::kLeaving;
      return true;
    case Cell::Stage::kLeaving:
      if (cell.sending > 0) return false;
      cell.stage = Cell::Stage::kFree;
      return true;
  }
  return false;
}

size_t ChunkExchange::message_bytes(const Cell& cell) const { return wire_size(rounding_.wire, cell.values.size()); }

float* ChunkExchange::place_of_result(const Cell& cell) const {
  return shared_.is_shared() && what_ != Collective::kReduceScatter ? shared_.result(cell.number) : cell.values.data();
}

// Part 0 is a result. A tag is used again only when the chunk that had it is done on both sides.
int ChunkExchange::tag(const Cell& cell, size_t part) const {
  return kFirstTag + static_cast<int>((cell.number % kMaxInFlight) * (max_parts_ + 1) + part);
}

void ChunkExchange::send(Cell& cell, int to, size_t part, std::span<const std::byte> message) {
  transport_.send(to, tag(cell, part), message, cell.sending);
  bytes_sent_ += message.size();
}

void ChunkExchange::round(const Cell& cell, size_t part, std::span<float> values, std::byte* message) const {
  if (rounding_.feedback == nullptr) return encode(rounding_.wire, values, message);
  rounding_.feedback->encode(rounding_.wire, cell.chunk, part, values, message);
}

void ChunkExchange::receive_parts(Cell& cell) {
  const size_t bytes = message_bytes(cell);
  if (!spare_.empty()) {
    cell.parts = std::move(spare_.back());
    spare_.pop_back();
  }
  cell.parts.resize(std::max(cell.parts.size(), parts_of_others_ * bytes));
  std::byte* place = cell.parts.data();
  for (int host = 0; host < layout_.hosts(); ++host) {
    if (host == host_) continue;
    const int leader = layout_.chunk_leader(host, cell.chunk, place_of_sums());
    for (size_t part = 1; part <= layout_.parts_of(host).size(); ++part, place += bytes) {
      transport_.receive(leader, tag(cell, part), {place, bytes}, cell.receiving);
    }
  }
}

void ChunkExchange::send_parts(Cell& cell) {
  const int to = layout_.summing_rank(cell.chunk, place_of_sums());
  if (!shared_.is_shared() && !is_coded()) return send(cell, to, 1, std::as_bytes(cell.values));
  const size_t bytes = message_bytes(cell);
  cell.outgoing.resize(std::max(cell.outgoing.size(), parts_.size() * bytes));
  std::vector<const float*> values;
  for (int worker = 0; worker < shared_.workers(); ++worker) {
    values.push_back(shared_.is_shared() ? shared_.values_of(worker, cell.number) : cell.values.data());
  }
  for (size_t part = 0; part < parts_.size(); ++part) {
    std::byte* message = cell.outgoing.data() + part * bytes;
    if (is_coded()) {
      sum_.resize(kChunk);
      parts_[part].add(values, cell.values.size(), sum_.data());
      round(cell, part + 1, std::span(sum_).first(cell.values.size()), message);
    } else {
      parts_[part].add(values, cell.values.size(), reinterpret_cast<float*>(message));
    }
    send(cell, to, part + 1, {message, bytes});
  }
}

void ChunkExchange::add_up(Cell& cell) {
  const size_t bytes = message_bytes(cell);
  std::vector<const float*> sources;
  for (int worker = 0; worker < shared_.workers(); ++worker) {
    sources.push_back(shared_.is_shared() ? shared_.values_of(worker, cell.number) : cell.values.data());
  }
  if (is_coded()) decoded_.resize(parts_of_others_);
  for (size_t part = 0; part < parts_of_others_; ++part) {
    const std::byte* message = cell.parts.data() + part * bytes;
    if (is_coded()) {
      decoded_[part].resize(kChunk);
      decode(rounding_.wire, message, std::span(decoded_[part]).first(cell.values.size()));
    }
    sources.push_back(is_coded() ? decoded_[part].data() : reinterpret_cast<const float*>(message));
  }
  whole_.add(sources, cell.values.size(), place_of_result(cell));
  spare_.push_back(std::exchange(cell.parts, {}));
}

// Sends the total to the chunk leaders of all other hosts, and copies it into the memory of this one.
void ChunkExchange::distribute(Cell& cell) {
  const std::span<float> values(place_of_result(cell), cell.values.size());
  if (what_ == Collective::kAllGather && shared_.is_shared()) {
    std::memcpy(values.data(), cell.values.data(), values.size_bytes());
  }
  if (layout_.hosts() == 1) return;
  std::span<const std::byte> message = std::as_bytes(values);
  if (is_coded()) {
    cell.outgoing.resize(std::max(cell.outgoing.size(), message_bytes(cell)));
    round(cell, 0, values, cell.outgoing.data());
    message = std::span(cell.outgoing).first(message_bytes(cell));
    decode(rounding_.wire, message.data(), values);  // as the others get it
  }
  for (int host = 0; host < layout_.hosts(); ++host) {
    if (host != host_) send(cell, layout_.chunk_leader(host, cell.chunk, place_of_sums()), 0, message);
  }
}

void ChunkExchange::receive_result(Cell& cell) {
  const size_t bytes = message_bytes(cell);
  std::byte* place = reinterpret_cast<std::byte*>(place_of_result(cell));
  if (is_coded()) {
    cell.incoming.resize(std::max(cell.incoming.size(), bytes));
    place = cell.incoming.data();
  }
  transport_.receive(layout_.summing_rank(cell.chunk, place_of_sums()), tag(cell, 0), {place, bytes}, cell.receiving);
}

void ChunkExchange::take_result(Cell& cell) {
  if (is_coded()) decode(rounding_.wire, cell.incoming.data(), {place_of_result(cell), cell.values.size()});
}

}  // namespace verbund
