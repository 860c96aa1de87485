// The workers of a run, as one of them sees the whole: who they are, and the parts by which they work together. All
// communication happens on a thread of its own, in the order in which it is asked for, so that it can go on while the
// others compute. Every worker must ask for the same things in the same order.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "collectives/operation_queue.h"
#include "collectives/queued_communicator.h"
#include "collectives/transport.h"
#include "control/watchdog.h"

namespace verbund {

class Workers {
 public:
  using Connect = std::function<std::unique_ptr<Transport>()>;
  enum class Watched { kNo, kYes };

  // Just this one.
  Workers();
  // `connect` is called by the thread of communication, which is the only one to use the transport.
  Workers(Connect connect, Watched watched);

  int rank() const { return self().rank; }
  int size() const { return static_cast<int>(all_.size()); }
  bool leads() const { return rank() == 0; }  // speaks and writes for all
  const Worker& self() const { return all_[static_cast<size_t>(rank_)]; }
  const std::vector<Worker>& all() const { return all_; }
  std::string layout() const;  // "2+2": how many on each host

  // What they do together: asked for here, done by the thread of communication, and waited for.
  Communicator& comm() { return *queued_; }
  // The same without waiting: the future is ready when it is done. What it works on must stay.
  std::future<void> start(const char* name, Operation operation);
  // Their eyes on each other; nobody is watched where there is nobody else.
  Watchdog& watchdog() { return *watchdog_; }

  // What one of them has to say of a thing that must be the same everywhere: fails on all, and
  // names those who differ from most.
  void must_agree(const std::string& what, const std::string& own);

  // Of the thread of communication, since the beginning.
  double seconds_busy() const { return seconds_busy_; }
  uint64_t bytes_sent() const { return bytes_sent_; }  // to other hosts

  // Messages to worker 0, beside all that workers do together: of any thread, at any time, in order, of at most
  // Message::kMostBytes. Posting never waits: what there is no room for is dropped (false) and counted.
  bool post(std::vector<std::byte> message);
  // Worker 0's: hears the messages of all workers, its own too, on a thread of its own. Must be taken back ({}) before
  // what it needs is gone. On others nothing happens.
  void set_handler(TelemetryHandler handler);
  // By all workers together: what any of them has posted before has been received when it returns (or takes longer than
  // some seconds).
  void flush();

  // The run's clock, which is worker 0's: seconds since 1970. How far this worker's own is from it is measured all the
  // time, see clock().
  double run_clock() const { return run_clock(std::chrono::steady_clock::now()); }
  double run_clock(std::chrono::steady_clock::time_point time) const { return clock_.at(time) + clock().offset; }
  ClockOffset clock() const;

  // The end in peace: returns when all have come to it, and worker 0 has all messages.
  void close();

 private:
  void connect(const Connect& connect, Watched watched);
  void meet(Watched watched);
  void perform(const char* name, const Operation& operation);
  void wait_for_others(const std::future<void>& ready) const;
  bool has_sender() const { return watchdog_->is_watching() && rank_ != 0; }

  const RunClock clock_;  // this worker's own
  int rank_ = 0;
  std::vector<Worker> all_;
  std::shared_ptr<TelemetryReceiver> receiver_;                // worker 0's; of all workers if they are threads
  std::unique_ptr<Communicator> communicator_;  // the thread's
  std::optional<Watchdog> watchdog_;
  std::optional<QueuedCommunicator> queued_;
  std::atomic<double> seconds_busy_ = 0;
  std::atomic<uint64_t> bytes_sent_ = 0;
  std::atomic<int> waiting_for_ = -1;    // at the start: whose answer
  std::optional<OperationQueue> queue_;  // none: operations are done at once. The first to go
};

// How long workers look for each other at the start: 60, or what VERBUND_START_SECONDS says.
int start_seconds();

// Does something with those that mpirun or Slurm has started, or with just this one. When it fails here,
// the others end too, and worker 0 says why.
void with_workers(const std::function<void(Workers&)>& work);

}  // namespace verbund
