// SPDX-License-Identifier: Apache-2.0
#include "emulated/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulated/numbers.h"

#pragma GCC optimize("O3")  // loops over numbers

namespace emulated {

using namespace verbund::cuda;

namespace {

// One rank after another; what is stored in 16 bits is rounded after each, as in a ring.
template <typename Stored, typename Load, typename Store, typename Combine>
void reduce_with(const RankMeeting& meeting, size_t begin, size_t count, void* to, const Load& load, const Store& store,
                 const Combine& combine) {
  const auto block = [&](int rank) { return reinterpret_cast<const Stored*>(meeting.block(rank)) + begin; };
  auto* result = static_cast<Stored*>(to);
  std::copy_n(block(0), count, result);
  for (int rank = 1; rank < meeting.ranks(); ++rank) {
    const Stored* other = block(rank);
    for (size_t i = 0; i < count; ++i) result[i] = store(combine(load(result[i]), load(other[i])));
  }
}

template <typename Stored, typename Load, typename Store>
void reduce_as(const RankMeeting& meeting, ncclRedOp_t operation, size_t begin, size_t count, void* to,
               const Load& load, const Store& store) {
  using Number = decltype(load(Stored()));
  const auto with = [&](const auto& combine) { reduce_with<Stored>(meeting, begin, count, to, load, store, combine); };
  switch (operation) {
    case ncclProd:
      return with([](Number a, Number b) { return static_cast<Number>(a * b); });
    case ncclMax:
      return with([](Number a, Number b) { return std::max(a, b); });
    case ncclMin:
      return with([](Number a, Number b) { return std::min(a, b); });
    default:
      with([](Number a, Number b) { return static_cast<Number>(a + b); });
  }
  if (operation != ncclAvg) return;
  auto* result = static_cast<Stored*>(to);
  for (size_t i = 0; i < count; ++i) result[i] = store(load(result[i]) / static_cast<Number>(meeting.ranks()));
}

template <typename Number>
void reduce_numbers(const RankMeeting& meeting, ncclRedOp_t operation, size_t begin, size_t count, void* to) {
  const auto same = [](Number value) { return value; };
  reduce_as<Number>(meeting, operation, begin, count, to, same, same);
}

// `count` elements from the element `begin` of every rank's block.
void reduce(const RankMeeting& meeting, const Collective& call, size_t begin, size_t count, void* to) {
  const auto with = [&](auto function) { function(meeting, call.operation, begin, count, to); };
  switch (call.type) {
    case ncclFloat16:
      return reduce_as<uint16_t>(meeting, call.operation, begin, count, to, half_to_float, float_to_half);
    case ncclBfloat16:
      return reduce_as<uint16_t>(meeting, call.operation, begin, count, to, bfloat16_to_float, float_to_bfloat16);
    case ncclFloat32:
      return with(reduce_numbers<float>);
    case ncclFloat64:
      return with(reduce_numbers<double>);
    case ncclInt32:
      return with(reduce_numbers<int32_t>);
    case ncclUint32:
      return with(reduce_numbers<uint32_t>);
    case ncclInt64:
      return with(reduce_numbers<int64_t>);
    case ncclUint64:
      return with(reduce_numbers<uint64_t>);
    case ncclInt8:
      return with(reduce_numbers<int8_t>);
    case ncclUint8:
      return with(reduce_numbers<uint8_t>);
  }
}

std::string describe(const Call& call) {
  const std::string root = call.kind == Collective::kBroadcast ? fmt::format(" from rank {}", call.root) : "";
  return fmt::format("{} of {} elements of type {}, operation {}{} (call {})",
                     function_name(static_cast<Collective::Kind>(call.kind)), call.count, call.type, call.operation,
                     root, call.number);
}

std::string disagreement(const RankMeeting& meeting) {
  for (int rank = 1; rank < meeting.ranks(); ++rank) {
    if (std::memcmp(&meeting.call(0), &meeting.call(rank), sizeof(Call)) == 0) continue;
    return fmt::format("rank 0 is in {}, but rank {} in {}", describe(meeting.call(0)), rank,
                       describe(meeting.call(rank)));
  }
  return "";
}

class Rounds {
 public:
  Rounds(RankMeeting& meeting, const Collective& call) : meeting_(meeting), call_(call), size_(size_of(call.type)) {}

  void put(size_t begin, size_t count) {
    if (count == 0) return;  // there may be no buffer
    std::byte* own = meeting_.block(meeting_.rank());
    const auto* send = static_cast<const std::byte*>(call_.send);
    if (call_.kind == Collective::kReduceScatter) {
      for (size_t part = 0; part < ranks(); ++part) {
        std::memcpy(own + part * count * size_, send + (part * call_.count + begin) * size_, count * size_);
      }
    } else if (call_.kind != Collective::kBroadcast || call_.root == meeting_.rank()) {
      std::memcpy(own, send + begin * size_, count * size_);
    }
  }

  void take(size_t begin, size_t count) {
    if (count == 0) return;
    auto* receive = static_cast<std::byte*>(call_.receive) + begin * size_;
    switch (call_.kind) {
      case Collective::kAllReduce:
        reduce(meeting_, call_, 0, count, receive);
        break;
      case Collective::kReduceScatter:
        reduce(meeting_, call_, static_cast<size_t>(meeting_.rank()) * count, count, receive);
        break;
      case Collective::kAllGather:
        for (size_t part = 0; part < ranks(); ++part) {
          std::memcpy(receive + part * call_.count * size_, meeting_.block(static_cast<int>(part)), count * size_);
        }
        break;
      case Collective::kBroadcast:
        std::memcpy(receive, meeting_.block(call_.root), count * size_);
        break;
    }
  }

  size_t elements() const {
    return RankMeeting::kBlock / size_ / (call_.kind == Collective::kReduceScatter ? ranks() : 1);
  }

 private:
  size_t ranks() const { return static_cast<size_t>(meeting_.ranks()); }

  RankMeeting& meeting_;
  const Collective& call_;
  size_t size_;
};

}  // namespace

size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
  }
  return 0;
}

size_t send_bytes(const Collective& call, int ranks) {
  return call.count * size_of(call.type) * (call.kind == Collective::kReduceScatter ? static_cast<size_t>(ranks) : 1);
}

size_t receive_bytes(const Collective& call, int ranks) {
  return call.count * size_of(call.type) * (call.kind == Collective::kAllGather ? static_cast<size_t>(ranks) : 1);
}

const char* function_name(Collective::Kind kind) {
  constexpr const char* kNames[] = {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather", "ncclBroadcast"};
  return kind >= 0 && kind < 4 ? kNames[kind] : "an unknown call";
}

Outcome run_collective(RankMeeting& meeting, const Collective& call, int64_t number) {
  const Call said{number, static_cast<int64_t>(call.count), call.kind, call.type, call.operation, call.root};
  const auto spoil = [&](Outcome::End end, const std::string& why) {
    if (call.count > 0) std::memset(call.receive, 0xff, receive_bytes(call, meeting.ranks()));
    return Outcome{end, why};
  };
  Rounds rounds(meeting, call);
  size_t begin = 0;
  do {  // one round for nothing, too: others may have something
    const size_t count = std::min(rounds.elements(), call.count - begin);
    rounds.put(begin, count);
    if (!meeting.meet(said)) {
      return spoil(Outcome::kAborted,
                   fmt::format("{} on rank {} was aborted", function_name(call.kind), meeting.rank()));
    }
    if (const std::string why = disagreement(meeting); !why.empty()) {
      meeting.next_round();
      return spoil(Outcome::kDisagreement, why);
    }
    rounds.take(begin, count);
    meeting.next_round();
    begin += count;
  } while (begin < call.count);
  return {Outcome::kDone, ""};
}

}  // namespace emulated
