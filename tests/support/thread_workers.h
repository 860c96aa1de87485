// SPDX-License-Identifier: Apache-2.0
// run_as_workers runs a function on several workers that are threads of this process, each with its own Workers.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "collectives/workers.h"
#include "support/thread_transport.h"

namespace verbund {

// So many workers on each host. Throws what the first of them threw.
inline void run_on_hosts(const std::vector<int>& slots, const std::function<void(Workers&)>& work,
                         Workers::Watched watched = Workers::Watched::kNo) {
  ThreadWorld world(slots);
  const int count = world.size();
  std::exception_ptr first;  // in time: the others may fail because of it
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        Workers workers([&] { return world.transport(rank); }, watched);
        work(workers);
        workers.close();
      } catch (...) {
        {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        world.abandon();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

// Each on a host of its own, so that all that they exchange goes as it would over a network.
inline void run_as_workers(int count, const std::function<void(Workers&)>& work,
                           Workers::Watched watched = Workers::Watched::kNo) {
  run_on_hosts(std::vector<int>(static_cast<size_t>(count), 1), work, watched);
}

}  // namespace verbund
