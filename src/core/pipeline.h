// SPDX-License-Identifier: Apache-2.0
// ordered_pipeline works on a stream of blocks with several threads and keeps its order: one thread produces, several
// transform, the caller consumes in the order of production. Only a few blocks are in flight, so memory stays bounded
// however long the stream is.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/machine.h"  // thread_count

namespace verbund {

// produce() -> std::optional<In>   called by one thread until it gives nothing
// make_transform() -> callable In -> Out   called once per worker, so that each has its own state
// consume(Out&&)                   called by the caller's thread, in order
// An exception in any of them stops everything and is thrown here.
template <typename Produce, typename MakeTransform, typename Consume>
void ordered_pipeline(int threads, Produce produce, MakeTransform make_transform, Consume consume) {
  using In = typename std::invoke_result_t<Produce>::value_type;
  using Transform = std::invoke_result_t<MakeTransform>;
  using Out = std::invoke_result_t<Transform, In>;
  struct Job {
    In input;
    std::promise<Out> output;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> waiting;                 // for a worker
  std::deque<std::future<Out>> in_flight;  // in order, for the consumer
  bool finished = false;                   // nothing more is produced
  bool abandoned = false;                  // the consumer has ended
  std::exception_ptr producer_error;
  const size_t limit = static_cast<size_t>(threads) * 2 + 2;

  const auto producer = [&] {
    try {
      while (true) {
        std::optional<In> input = produce();
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return abandoned || in_flight.size() < limit; });
        if (abandoned || !input) break;
        waiting.push_back({std::move(*input), {}});
        in_flight.push_back(waiting.back().output.get_future());
        changed.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      producer_error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    finished = true;
    changed.notify_all();
  };

  const auto worker = [&] {
    std::optional<Transform> transform;
    while (true) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return abandoned || finished || !waiting.empty(); });
      if (abandoned || waiting.empty()) return;
      Job job = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      try {
        if (!transform) transform.emplace(make_transform());
        job.output.set_value((*transform)(std::move(job.input)));
      } catch (...) {
        job.output.set_exception(std::current_exception());
      }
    }
  };

  std::vector<std::jthread> pool;
  struct Abandon {  // runs before the threads are joined, whatever happens below
    std::mutex& mutex;
    std::condition_variable& changed;
    bool& abandoned;
    ~Abandon() {
      const std::lock_guard lock(mutex);
      abandoned = true;
      changed.notify_all();
    }
  } abandon{mutex, changed, abandoned};
  pool.emplace_back(producer);
  for (int i = 0; i < threads; ++i) pool.emplace_back(worker);

  while (true) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return finished || !in_flight.empty(); });
    if (in_flight.empty()) break;
    std::future<Out> next = std::move(in_flight.front());
    lock.unlock();
    Out output = next.get();
    lock.lock();
    in_flight.pop_front();
    changed.notify_all();
    lock.unlock();
    consume(std::move(output));
  }
  if (producer_error) std::rethrow_exception(producer_error);
}

}  // namespace verbund
