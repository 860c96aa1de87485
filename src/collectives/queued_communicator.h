// SPDX-License-Identifier: Apache-2.0
// QueuedCommunicator is a communicator for any thread: OperationQueue, the communication thread, performs one operation
// after the other in the order of the calls, and each call waits for its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "collectives/communicator.h"

namespace verbund {

class OperationQueue {
 public:
  OperationQueue();
  // Performs what is left first.
  ~OperationQueue();
  OperationQueue(const OperationQueue&) = delete;
  OperationQueue& operator=(const OperationQueue&) = delete;

  // The future is ready when the operation is done, and carries its exception. What it works on must stay valid.
  std::future<void> add(std::function<void()> operation);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> operations_;
  bool stop_ = false;
  std::thread thread_;
};

// Starts an operation on the communication thread, under the name that the watchdog reports.
using Operation = std::function<void(Communicator&)>;
using StartOperation = std::function<std::future<void>(const char* name, Operation operation)>;

class QueuedCommunicator final : public Communicator {
 public:
  // `other`: the communicator of that thread, for rank, size and layout.
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
  void all_reduce(std::span<float> buffer, Interval interval, Rounding rounding) override;
  void reduce_scatter(std::span<float> buffer, Interval interval, Rounding rounding) override;
  void all_gather(std::span<float> buffer, Interval interval, Wire wire) override;
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
