// SPDX-License-Identifier: Apache-2.0
#include "collectives/queued_communicator.h"

namespace verbund {

OperationQueue::OperationQueue() : thread_([this] { run(); }) {}

OperationQueue::~OperationQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

std::future<void> OperationQueue::add(std::function<void()> operation) {
  std::packaged_task<void()> task(std::move(operation));
  std::future<void> done = task.get_future();
  const std::lock_guard lock(mutex_);
  operations_.push_back(std::move(task));
  changed_.notify_all();
  return done;
}

void OperationQueue::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !operations_.empty(); });
    if (operations_.empty()) return;
    std::packaged_task<void()> operation = std::move(operations_.front());
    operations_.pop_front();
    lock.unlock();
    operation();
  }
}

void QueuedCommunicator::sum(std::span<double> values) {
  perform("sum of numbers", [&](Communicator& comm) { comm.sum(values); });
}

void QueuedCommunicator::max(std::span<double> values) {
  perform("comparison of numbers", [&](Communicator& comm) { comm.max(values); });
}

std::vector<std::string> QueuedCommunicator::gather(const std::string& own) {
  std::vector<std::string> result;
  perform("gathering of texts", [&](Communicator& comm) { result = comm.gather(own); });
  return result;
}

std::string QueuedCommunicator::broadcast(const std::string& text) {
  std::string result;
  perform("broadcast of a text", [&](Communicator& comm) { result = comm.broadcast(text); });
  return result;
}

void QueuedCommunicator::all_reduce(std::span<float> buffer, Interval interval, Rounding rounding) {
  perform("sum of a buffer", [&](Communicator& comm) { comm.all_reduce(buffer, interval, rounding); });
}

void QueuedCommunicator::reduce_scatter(std::span<float> buffer, Interval interval, Rounding rounding) {
  perform("sum of a buffer, to the owners",
          [&](Communicator& comm) { comm.reduce_scatter(buffer, interval, rounding); });
}

void QueuedCommunicator::all_gather(std::span<float> buffer, Interval interval, Wire wire) {
  perform("gathering of a buffer", [&](Communicator& comm) { comm.all_gather(buffer, interval, wire); });
}

void QueuedCommunicator::broadcast(std::span<float> buffer) {
  if (size() == 1) return;
  perform("broadcast of the state", [&](Communicator& comm) { comm.broadcast(buffer); });
}

void QueuedCommunicator::gather_chunks(std::span<const float> own, std::span<float> all, size_t size,
                                       const HolderOf& holder) {
  perform("collection of the state", [&](Communicator& comm) { comm.gather_chunks(own, all, size, holder); });
}

void QueuedCommunicator::scatter_chunks(std::span<const float> all, std::span<float> own, size_t size,
                                        const HolderOf& holder) {
  perform("distribution of the state", [&](Communicator& comm) { comm.scatter_chunks(all, own, size, holder); });
}

void QueuedCommunicator::exchange_with(int other, std::span<const std::byte> send, std::span<std::byte> receive) {
  perform("exchange of two workers", [&](Communicator& comm) { comm.exchange_with(other, send, receive); });
}

void QueuedCommunicator::set_in_flight(size_t chunks) {
  perform("tuning of the exchange", [&](Communicator& comm) { comm.set_in_flight(chunks); });
}

uint64_t QueuedCommunicator::bytes_sent() const {
  uint64_t result = 0;
  perform("counting", [&](Communicator& comm) { result = comm.bytes_sent(); });
  return result;
}

void QueuedCommunicator::close() {
  perform("end of all", [](Communicator& comm) { comm.close(); });
}

}  // namespace verbund
