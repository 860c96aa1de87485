// SPDX-License-Identifier: Apache-2.0
// HierarchicalCommunicator runs the collectives over any transport. Numbers and texts go directly from worker to
// worker; buffers are exchanged within hosts first (collectives/chunk_exchange.h). For one thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "collectives/chunk_exchange.h"
#include "collectives/communicator.h"

namespace verbund {

class HierarchicalCommunicator final : public Communicator {
 public:
  // Collective. Each worker first exchanges a byte with each other one in turn, which shows who cannot be reached;
  // `asking` is called with the rank whose answer it waits for.
  HierarchicalCommunicator(
      std::unique_ptr<Transport> transport, const std::function<void(int)>& asking = [](int) {});

  int rank() const override { return transport_->rank(); }
  int size() const override { return transport_->size(); }
  const HostLayout& layout() const override { return *layout_; }

  using Communicator::max;
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;
  std::vector<std::string> gather(const std::string& own) override;
  std::string broadcast(const std::string& text) override;
  void all_reduce(std::span<float> buffer, Interval piece, Rounding rounding) override;
  void reduce_scatter(std::span<float> buffer, Interval piece, Rounding rounding) override;
  void all_gather(std::span<float> buffer, Interval piece, Wire wire) override;
  void broadcast(std::span<float> buffer) override;
  void gather_chunks(std::span<const float> own, std::span<float> all, size_t size, const HolderOf& holder) override;
  void scatter_chunks(std::span<const float> all, std::span<float> own, size_t size, const HolderOf& holder) override;
  void exchange_with(int other, std::span<const std::byte> outgoing, std::span<std::byte> incoming) override;
  void set_in_flight(size_t chunks) override { exchange_->set_in_flight(chunks); }
  uint64_t bytes_sent() const override { return bytes_sent_ + exchange_->bytes_sent(); }
  void close() override { transport_->close(); }

 private:
  void send(int to, std::span<const std::byte> data);
  void receive(int from, std::span<std::byte> data);
  void finish();  // waits for all messages in flight
  void gather_numbers(std::span<const double> own);
  void share_memory();

  std::unique_ptr<Transport> transport_;
  std::optional<HostLayout> layout_;
  std::optional<SharedChunkBuffer> shared_;
  std::optional<ChunkExchange> exchange_;
  int under_way_ = 0;
  std::vector<double> numbers_;  // [size, count] of all workers
  uint64_t bytes_sent_ = 0;
};

}  // namespace verbund
