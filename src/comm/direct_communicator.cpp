#include "comm/direct_communicator.h"

#include <algorithm>

#include "comm/wire.h"
#include "core/error.h"

namespace verbund {
namespace {

// Broadcasts of buffers go in pieces, so that the memory for messages stays small.
constexpr size_t kBroadcastPiece = 256 * kChunk;

std::span<const float> values_of(std::span<const float> buffer, const Chunk& chunk) {
  return buffer.subspan(chunk.place.begin, chunk.place.size());
}
std::span<float> values_of(std::span<float> buffer, const Chunk& chunk) {
  return buffer.subspan(chunk.place.begin, chunk.place.size());
}

}  // namespace

void DirectCommunicator::exchange() {
  for (const Outgoing& message : sends_) bytes_sent_ += message.data.size();
  transport_->exchange(sends_, receives_);
  sends_.clear();
  receives_.clear();
}

void DirectCommunicator::greet(const std::function<void(int)>& asking) {
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    std::byte hello{1}, answer{0};
    asking(other);
    exchange_with(other, {&hello, 1}, {&answer, 1});
  }
}

void DirectCommunicator::exchange_with(int other, std::span<const std::byte> outgoing, std::span<std::byte> incoming) {
  send(other, outgoing);
  receive(other, incoming);
  exchange();
}

std::byte* DirectCommunicator::scratch(size_t bytes) {
  std::byte* memory = scratch_.data() + scratch_used_;
  scratch_used_ += (bytes + 63) / 64 * 64;
  if (scratch_used_ > scratch_.size()) fail("messages of {} bytes do not fit into {}", scratch_used_, scratch_.size());
  return memory;
}

// Room for one message of each chunk that is mine, or that is not.
size_t DirectCommunicator::message_bytes(std::span<const Chunk> chunks, Wire wire, bool mine) const {
  size_t bytes = 0;
  for (const Chunk& chunk : chunks) {
    if ((chunk.owner == rank()) == mine) bytes += wire_size(wire, chunk.place.size()) + 64;
  }
  return bytes;
}

void DirectCommunicator::gather_numbers(std::span<const double> own) {
  numbers_.resize(own.size() * static_cast<size_t>(size()));
  const auto of = [&](int worker) {
    return std::span(numbers_).subspan(static_cast<size_t>(worker) * own.size(), own.size());
  };
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    send(other, std::as_bytes(own));
    receive(other, std::as_writable_bytes(of(other)));
  }
  exchange();
  std::copy(own.begin(), own.end(), of(rank()).begin());
}

void DirectCommunicator::sum(std::span<double> values) {
  gather_numbers(values);
  for (size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (size_t at = i; at < numbers_.size(); at += values.size()) sum += numbers_[at];
    values[i] = sum;
  }
}

void DirectCommunicator::max(std::span<double> values) {
  gather_numbers(values);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t at = i; at < numbers_.size(); at += values.size()) values[i] = std::max(values[i], numbers_[at]);
  }
}

std::vector<std::string> DirectCommunicator::gather(const std::string& own) {
  const double length = static_cast<double>(own.size());
  gather_numbers({&length, 1});
  std::vector<std::string> all(static_cast<size_t>(size()));
  for (int other = 0; other < size(); ++other) {
    std::string& text = all[static_cast<size_t>(other)];
    if (other == rank()) {
      text = own;
      continue;
    }
    text.resize(static_cast<size_t>(numbers_[static_cast<size_t>(other)]));
    send(other, std::as_bytes(std::span(own)));
    receive(other, std::as_writable_bytes(std::span(text)));
  }
  exchange();
  return all;
}

std::string DirectCommunicator::broadcast(const std::string& text) { return gather(rank() == 0 ? text : "").front(); }

void DirectCommunicator::reduce_scatter(std::span<float> buffer, Interval piece, Wire wire) {
  if (size() == 1) return;
  const std::vector<Chunk> chunks = chunks_of(piece, size());
  const auto others = static_cast<size_t>(size() - 1);
  const size_t outgoing = wire == Wire::kFp32 ? 0 : message_bytes(chunks, wire, false);
  scratch_.resize(std::max(scratch_.size(), outgoing + others * message_bytes(chunks, wire, true)));
  forget();
  std::vector<const std::byte*> received;  // [own chunks, others], in the order of ranks
  for (const Chunk& chunk : chunks) {
    const std::span<float> values = values_of(buffer, chunk);
    const size_t bytes = wire_size(wire, values.size());
    if (chunk.owner != rank()) {
      std::span<const std::byte> message = std::as_bytes(values);
      if (wire != Wire::kFp32) {
        std::byte* encoded = scratch(bytes);
        encode(wire, values, encoded);
        message = {encoded, bytes};
      }
      send(chunk.owner, message);
      continue;
    }
    for (int other = 0; other < size(); ++other) {
      if (other == rank()) continue;
      std::byte* message = scratch(bytes);
      receive(other, {message, bytes});
      received.push_back(message);
    }
  }
  exchange();

  const std::byte* const* message = received.data();
  for (const Chunk& chunk : chunks) {
    if (chunk.owner != rank()) continue;
    const std::span<float> values = values_of(buffer, chunk);
    own_.assign(values.begin(), values.end());
    for (int worker = 0; worker < size(); ++worker) {
      const bool own = worker == rank();
      if (worker == 0 && !own) {
        decode(wire, *message++, values);
      } else if (worker != 0) {
        add_decoded(own ? Wire::kFp32 : wire, own ? std::as_bytes(std::span(own_)).data() : *message++, values);
      }
    }
  }
}

void DirectCommunicator::all_gather(std::span<float> buffer, Interval piece, Wire wire) {
  if (size() == 1) return;
  const std::vector<Chunk> chunks = chunks_of(piece, size());
  const bool coded = wire != Wire::kFp32;
  if (coded) {
    scratch_.resize(std::max(scratch_.size(), message_bytes(chunks, wire, false) + message_bytes(chunks, wire, true)));
  }
  forget();
  std::vector<std::pair<std::span<float>, const std::byte*>> coming;
  for (const Chunk& chunk : chunks) {
    const std::span<float> values = values_of(buffer, chunk);
    const size_t bytes = wire_size(wire, values.size());
    std::byte* message = coded ? scratch(bytes) : std::as_writable_bytes(values).data();
    if (chunk.owner != rank()) {
      receive(chunk.owner, {message, bytes});
    } else {
      if (coded) encode(wire, values, message);
      for (int other = 0; other < size(); ++other) {
        if (other != rank()) send(other, {message, bytes});
      }
    }
    if (coded) coming.emplace_back(values, message);  // the owner's values are rounded as well
  }
  exchange();
  for (const auto& [values, message] : coming) decode(wire, message, values);
}

// Each chunk goes to its owner, and from there to all: worker 0 sends twice the buffer, however
// many workers there are.
void DirectCommunicator::broadcast(std::span<float> buffer) {
  for (size_t begin = 0; begin < buffer.size(); begin += kBroadcastPiece) {
    const Interval piece = {begin, std::min(begin + kBroadcastPiece, buffer.size())};
    for (const Chunk& chunk : chunks_of(piece, size())) {
      const std::span<float> values = values_of(buffer, chunk);
      if (rank() == 0 && chunk.owner != 0) send(chunk.owner, std::as_bytes(values));
      if (rank() != 0 && chunk.owner == rank()) receive(0, std::as_writable_bytes(values));
    }
    exchange();
    all_gather(buffer, piece, Wire::kFp32);
  }
}

void DirectCommunicator::collect(std::span<const float> own, std::span<float> all, size_t buffer_size) {
  size_t at = 0;
  for (const Chunk& chunk : chunks_of({0, buffer_size}, size())) {
    if (chunk.owner == rank()) {
      const std::span<const float> values = own.subspan(at, chunk.place.size());
      at += values.size();
      if (rank() == 0) {
        std::copy(values.begin(), values.end(), values_of(all, chunk).begin());
      } else {
        send(0, std::as_bytes(values));
      }
    } else if (rank() == 0) {
      receive(chunk.owner, std::as_writable_bytes(values_of(all, chunk)));
    }
  }
  exchange();
}

void DirectCommunicator::deal(std::span<const float> all, std::span<float> own, size_t buffer_size) {
  size_t at = 0;
  for (const Chunk& chunk : chunks_of({0, buffer_size}, size())) {
    if (chunk.owner == rank()) {
      const std::span<float> values = own.subspan(at, chunk.place.size());
      at += values.size();
      if (rank() == 0) {
        std::copy_n(values_of(all, chunk).begin(), values.size(), values.begin());
      } else {
        receive(0, std::as_writable_bytes(values));
      }
    } else if (rank() == 0) {
      send(chunk.owner, std::as_bytes(values_of(all, chunk)));
    }
  }
  exchange();
}

}  // namespace verbund
