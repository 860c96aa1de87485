// A communicator for any thread: each operation takes its turn among those that were asked for before, and is waited
// for.
#pragma once

#include <functional>
#include <future>

#include "collectives/communicator.h"

namespace verbund {

// Has something done by the communicator's own thread, under a name by which the watch tells of it.
using Operation = std::function<void(Communicator&)>;
using StartOperation = std::function<std::future<void>(const char* name, Operation operation)>;

class QueuedCommunicator final : public Communicator {
 public:
  // `other`: the one whose thread it is, for what never changes.
  QueuedCommunicator(const Communicator& other, StartOperation start)
      : rank_(other.rank()), size_(other.size()), layout_(other.layout()), start_(std::move(start)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const HostLayout& layout() const override { return layout_; }

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
  void exchange_with(int other, std::span<const std::byte> send, std::span<std::byte> receive) override;
  void set_in_flight(size_t chunks) override;
  uint64_t bytes_sent() const override;
  void close() override;

 private:
  void perform(const char* name, Operation operation) const { start_(name, std::move(operation)).get(); }

  int rank_, size_;
  HostLayout layout_;
  StartOperation start_;
};

}  // namespace verbund
