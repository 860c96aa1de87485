// SPDX-License-Identifier: Apache-2.0
// HierarchicalCommunicator runs the collectives over any transport: numbers and texts by the leaders of the hosts
// (collectives/leader_exchange.h), buffers by the leaders of their chunks (collectives/chunk_exchange.h). For one
// thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "collectives/chunk_exchange.h"
#include "collectives/communicator.h"
#include "collectives/leader_exchange.h"

namespace verbund {

class HierarchicalCommunicator final : public Communicator {
 public:
  // Collective. The workers find out who is on which host, and each exchanges a byte with one worker of every other
  // host, which shows who cannot be reached. `asking` is told whose answer is missing.
  explicit HierarchicalCommunicator(
      std::unique_ptr<Transport> transport, const LeaderExchange::Asking& asking = [](int, int) {});

  int rank() const override { return transport_->rank(); }
  int size() const override { return transport_->size(); }
  const HostLayout& layout() const override { return *layout_; }

  using Communicator::max;
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;
  std::vector<std::string> gather(const std::string& own) override;
  std::string broadcast(const std::string& text) override;
  void all_reduce(std::span<float> buffer, Interval interval, Rounding rounding) override;
  void reduce_scatter(std::span<float> buffer, Interval interval, Rounding rounding) override;
  void all_gather(std::span<float> buffer, Interval interval, Wire wire) override;
  void broadcast(std::span<float> buffer) override;
  void gather_chunks(std::span<const float> own, std::span<float> all, size_t size, const HolderOf& holder) override;
  void scatter_chunks(std::span<const float> all, std::span<float> own, size_t size, const HolderOf& holder) override;
  void exchange_with(int other, std::span<const std::byte> outgoing, std::span<std::byte> incoming) override;
  void set_in_flight(size_t chunks) override { exchange_->set_in_flight(chunks); }
  uint64_t bytes_sent() const override { return bytes_sent_ + leaders_->bytes_sent() + exchange_->bytes_sent(); }
  void close() override { transport_->close(); }

 private:
  void send(int to, std::span<const std::byte> data);
  void receive(int from, std::span<std::byte> data);
  void finish();  // waits for all messages in flight
  void share_memory(const LeaderExchange::Asking& asking);
  void greet_other_hosts(const LeaderExchange::Asking& asking);

  std::unique_ptr<Transport> transport_;
  std::optional<HostLayout> layout_;
  std::optional<SharedChunkBuffer> shared_;
  std::optional<LeaderExchange> leaders_;
  std::optional<ChunkExchange> exchange_;
  int under_way_ = 0;
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
