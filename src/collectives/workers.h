// SPDX-License-Identifier: Apache-2.0
// Workers is the view that one data-parallel worker has of all workers of a run: their ranks and hosts, the
// communicator and the watchdog. All communication happens on a thread of its own, in the order of the calls, so it
// overlaps with the computation. Every worker must make the same calls in the same order.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "collectives/queued_communicator.h"
#include "collectives/transport.h"
#include "control/watchdog.h"

namespace verbund {

class Workers {
 public:
  using Connect = std::function<std::unique_ptr<Transport>()>;
  enum class Watched { kNo, kYes };

  // A single worker.
  Workers();
  // `connect` is called on the communication thread, the only one to use the transport.
  Workers(Connect connect, Watched watched);

  int rank() const { return self().rank; }
  int size() const { return static_cast<int>(all_.size()); }
  bool leads() const { return rank() == 0; }  // prints and writes files for all
  const Worker& self() const { return all_[static_cast<size_t>(rank_)]; }
  const std::vector<Worker>& all() const { return all_; }
  std::string layout() const;  // "2+2": workers on each host

  // Collectives: performed by the communication thread, and waited for.
  Communicator& comm() { return *queued_; }
  // The same without waiting: the future is ready when it is done. What it works on must stay valid.
  std::future<void> start(const char* name, Operation operation);
  // Watches nobody if this is the only worker.
  Watchdog& watchdog() { return *watchdog_; }

  // Fails on all workers unless `own` is the same on all of them, and names those that differ from the majority.
  void must_agree(const std::string& what, const std::string& own);

  // Counters of the communication thread, since the start.
  double seconds_busy() const { return seconds_busy_; }
  uint64_t bytes_sent() const { return bytes_sent_; }  // to other hosts

  // Sends a message of at most Message::kMaxBytes to worker 0: from any thread, at any time, in order. Never blocks: a
  // message without room is dropped (false) and counted.
  bool post(std::vector<std::byte> message);
  // Sets worker 0's handler for the messages of all workers, its own included; a separate thread calls it. Must be
  // reset
  // ({}) before what it uses is gone. Does nothing on other workers.
  void set_handler(TelemetryHandler handler);
  // Collective: returns when the messages that any worker has posted before have been handled, or after some seconds.
  void flush();

  // The run's clock, which is worker 0's, in seconds since 1970. The difference to this worker's own clock is measured
  // all the time, see clock().
  double run_clock() const { return run_clock(std::chrono::steady_clock::now()); }
  double run_clock(std::chrono::steady_clock::time_point time) const { return clock_.at(time) + clock().offset; }
  ClockOffset clock() const;

  // Orderly shutdown. Collective: returns when all workers have called it and worker 0 has all messages.
  void close();

 private:
  void connect(const Connect& connect, Watched watched);
  void meet(Watched watched);
  void perform(const char* name, const Operation& operation);
  void wait_for_others(const std::future<void>& ready, int deadline) const;
  bool has_sender() const { return watchdog_->is_watching() && rank_ != 0; }

  const RunClock clock_;  // of this worker
  int rank_ = 0;
  std::vector<Worker> all_;
  std::shared_ptr<TelemetryReceiver> receiver_;  // of worker 0; shared by all workers if they are threads
  std::unique_ptr<Communicator> communicator_;   // of the communication thread
  std::optional<Watchdog> watchdog_;
  std::optional<QueuedCommunicator> queued_;
  std::atomic<double> seconds_busy_ = 0;
  std::atomic<uint64_t> bytes_sent_ = 0;
  std::atomic<int> waiting_for_ = -1;      // at the start: the rank whose answer is missing ...
  std::atomic<int> waiting_in_round_ = 0;  // ... in this round of messages
  std::optional<OperationQueue> queue_;    // none: operations run at once. Destroyed first
};

// Seconds that workers wait for each other at the start: 60, or the value of VERBUND_START_SECONDS. Refuses one that is
// no number of seconds.
int start_seconds();

// Calls `work` with the workers that mpirun or Slurm has started, or with this one alone. If it fails here, the others
// end too, and worker 0 reports the reason.
void with_workers(const std::function<void(Workers&)>& work);

}  // namespace verbund
