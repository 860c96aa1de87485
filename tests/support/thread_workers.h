// SPDX-License-Identifier: Apache-2.0
// run_as_workers runs a function on several workers that are threads of this process, each with its own Workers.
#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "collectives/workers.h"
#include "support/thread_transport.h"

namespace verbund {

// So many workers on each host. Throws what the first of them threw, except that another had failed.
inline void run_on_hosts(const std::vector<int>& slots, const std::function<void(Workers&)>& work,
                         Workers::Watched watched = Workers::Watched::kNo) {
  ThreadWorld world(slots);
  const int count = world.size();
  std::vector<std::exception_ptr> errors(static_cast<size_t>(count)), effects(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        Workers workers([&] { return world.transport(rank); }, watched);
        work(workers);
        workers.close();
      } catch (const AnotherWorkerFailed&) {
        effects[static_cast<size_t>(rank)] = std::current_exception();
      } catch (...) {
        errors[static_cast<size_t>(rank)] = std::current_exception();
        world.abandon();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& all : {errors, effects}) {
    for (const std::exception_ptr& error : all) {
      if (error) std::rethrow_exception(error);
    }
  }
}

// Each on a host of its own, so that all that they exchange goes as it would over a network.
inline void run_as_workers(int count, const std::function<void(Workers&)>& work,
                           Workers::Watched watched = Workers::Watched::kNo) {
  run_on_hosts(std::vector<int>(static_cast<size_t>(count), 1), work, watched);
}

}  // namespace verbund
