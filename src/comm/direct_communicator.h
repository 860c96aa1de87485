// Collectives in which everybody speaks to everybody at once, over any transport.
//
// A gradient is summed in two phases. First each worker sends every chunk to its owner, who
// adds up what all workers had, in the order of ranks and in fp32: so the sum's bits depend
// neither on who was first nor on how the buffer was cut into pieces. Then each owner sends its
// sums to all. Either phase moves (n-1)/n of the buffer out of and into each of n workers, as
// a ring would, but in one message time rather than n-1.
#pragma once

#include <functional>
#include <memory>

#include "comm/chunks.h"
#include "comm/communicator.h"
#include "comm/transport.h"

namespace verbund {

class DirectCommunicator final : public Communicator {
 public:
  explicit DirectCommunicator(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  // Exchanges a byte with each other worker in turn, all pairs in one order; `asking` hears whose
  // turn it is. Shows who cannot be reached before anything depends on it.
  void greet(const std::function<void(int)>& asking);

  int rank() const override { return transport_->rank(); }
  int size() const override { return transport_->size(); }

  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;
  std::vector<std::string> gather(const std::string& own) override;
  std::string broadcast(const std::string& text) override;
  void reduce_scatter(std::span<float> buffer, Interval piece, Wire wire) override;
  void all_gather(std::span<float> buffer, Interval piece, Wire wire) override;
  void broadcast(std::span<float> buffer) override;
  void collect(std::span<const float> own, std::span<float> all, size_t size) override;
  void deal(std::span<const float> all, std::span<float> own, size_t size) override;
  void exchange_with(int other, std::span<const std::byte> outgoing, std::span<std::byte> incoming) override;
  uint64_t bytes_sent() const override { return bytes_sent_; }
  void close() override { transport_->close(); }

 private:
  void send(int to, std::span<const std::byte> data) { sends_.push_back({to, data}); }
  void receive(int from, std::span<std::byte> data) { receives_.push_back({from, data}); }
  void exchange();
  void gather_numbers(std::span<const double> own);
  // Memory for messages until the next call of forget().
  std::byte* scratch(size_t bytes);
  void forget() { scratch_used_ = 0; }
  size_t message_bytes(std::span<const Chunk> chunks, Wire wire, bool mine) const;

  std::unique_ptr<Transport> transport_;
  std::vector<Outgoing> sends_;
  std::vector<Incoming> receives_;
  std::vector<double> numbers_;  // [size, count] of all workers
  std::vector<std::byte> scratch_;
  std::vector<float> own_;  // a chunk
  size_t scratch_used_ = 0;
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
