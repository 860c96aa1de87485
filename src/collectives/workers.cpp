// SPDX-License-Identifier: Apache-2.0
#include "collectives/workers.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>

#include "collectives/hierarchical_communicator.h"
#include "collectives/mpi_transport.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/json.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/process.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStartWarningSeconds = 10;
constexpr int kStartDeadlineSeconds = 60;
constexpr const char* kStartSecondsVariable = "VERBUND_START_SECONDS";
constexpr double kSecondsPerRound = 0.5;
constexpr double kFlushSeconds = 2;

// Transport of a single worker, which sends to nobody.
class LoneTransport final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void send(int, int, std::span<const std::byte>, int&) override {}
  void receive(int, int, std::span<std::byte>, int&) override {}
  bool progress() override { return false; }
  void pause(std::chrono::nanoseconds) override {}
  std::string host() const override { return "this host"; }
  NamedMemory make_shared_memory(size_t) override { return {}; }
  std::shared_ptr<std::byte> find_shared_memory(const std::string&, size_t) override { return nullptr; }
  void unname_shared_memory() override {}
};

}  // namespace

int start_seconds() {
  const char* text = std::getenv(kStartSecondsVariable);
  if (text == nullptr || *text == '\0') return kStartDeadlineSeconds;
  int seconds = 0;
  const char* const last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, seconds);
  if (error == std::errc() && end == last && seconds >= 1) return seconds;
  fail_usage("{} is \"{}\", but must be a number of seconds: 1 or more", kStartSecondsVariable, text);
}

Workers::Workers()
    : all_{{0, host_name(), 0, 1, allowed_cores(), usable_cores()}},
      receiver_(std::make_shared<TelemetryReceiver>()),
      communicator_(std::make_unique<HierarchicalCommunicator>(std::make_unique<LoneTransport>())) {
  watchdog_.emplace(clock_);
  queued_.emplace(*communicator_,
                  [this](const char* name, Operation operation) { return start(name, std::move(operation)); });
}

Workers::Workers(Connect connect, Watched watched) {
  const int deadline = start_seconds();
  queue_.emplace();
  std::future<void> ready = queue_->add([&] { this->connect(connect, watched); });
  wait_for_others(ready, deadline);
  ready.get();
  queued_.emplace(*communicator_,
                  [this](const char* name, Operation operation) { return start(name, std::move(operation)); });
}

// Reports what it waits for. MPI itself would wait silently and forever. Who waits in an early round knows best who is
// missing, so the others give it time to speak.
void Workers::wait_for_others(const std::future<void>& ready, int deadline) const {
  const auto began = Clock::now();
  bool warned = false;
  while (ready.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
    const int other = waiting_for_;
    const std::string whom = other >= 0                             ? fmt::format("an answer of worker {}", other)
                             : other == LeaderExchange::kNeighbours ? "the other workers of its host"
                                                                    : "MPI to connect the workers";
    const double waited = seconds_since(began);
    if (waited > deadline + kSecondsPerRound * waiting_in_round_) {
      // The communication thread is inside MPI, which cannot be interrupted.
      clear_status();
      print_line(fmt::format(
          "verbund: lost worker {} before the start: worker {} on {} has waited {} s for {}. Open all ports between "
          "the hosts, or choose another network (launch --nic, or mpirun --mca btl_tcp_if_include). `verbund doctor` "
          "finds the reason.",
          other < 0 ? "?" : std::to_string(other), launched_rank(), host_name(), deadline, whom));
      tell_launch({WorkerEvent::kLost, std::max(other, -1)});
      _exit(kExitLostWorker);
    }
    if (waited > std::min(kStartWarningSeconds, deadline / 2) && !std::exchange(warned, true)) {
      warn("worker {} on {} has waited {:.0f} s for {}", launched_rank(), host_name(), waited, whom);
    }
  }
}

void Workers::connect(const Connect& connect, Watched watched) {
  std::unique_ptr<Transport> transport = connect();
  receiver_ = transport->shared_receiver();
  communicator_ = std::make_unique<HierarchicalCommunicator>(std::move(transport), [this](int other, int round) {
    waiting_for_ = other;
    waiting_in_round_ = round;
  });
  meet(watched);
}

void Workers::meet(Watched watched) {
  rank_ = communicator_->rank();
  if (rank_ == 0 && !receiver_) receiver_ = std::make_shared<TelemetryReceiver>();
  const Json own = {{"host", host_name()}, {"cores", allowed_cores()}, {"machine_cores", usable_cores()}};
  std::map<std::string, int> on_host;
  for (const std::string& text : communicator_->gather(dump_json(own))) {
    const auto other = parse_json(text);
    const std::string host = other.at("host");
    all_.push_back(
        {static_cast<int>(all_.size()), host, on_host[host]++, 1, other.at("cores"), other.at("machine_cores")});
  }
  for (Worker& worker : all_) worker.local_size = on_host[worker.host];
  debug("worker {}: on {}, hosts have {} workers, {} cores allowed", rank_, host_name(), layout(),
        allowed_cores().size());
  if (watched == Watched::kYes && size() > 1) {
    watchdog_.emplace(*communicator_, all_, clock_, receiver_.get());
  } else {
    watchdog_.emplace(clock_);
  }
  bytes_sent_ = communicator_->bytes_sent();
}

void Workers::perform(const char* name, const Operation& operation) {
  const auto began = Clock::now();
  watchdog_->enter(name);
  try {
    operation(*communicator_);
  } catch (...) {
    watchdog_->leave();  // a worker that handles the failure does not wait
    throw;
  }
  watchdog_->leave();
  seconds_busy_ = seconds_busy_ + seconds_since(began);
  bytes_sent_ = communicator_->bytes_sent();
}

std::future<void> Workers::start(const char* name, Operation operation) {
  // Counted before the future is ready.
  std::function<void()> counted = [this, name, operation = std::move(operation)] { perform(name, operation); };
  if (queue_) return queue_->add(std::move(counted));
  std::packaged_task<void()> task(std::move(counted));
  task();
  return task.get_future();
}

std::string Workers::layout() const {
  std::string text;
  for (const Worker& worker : all_) {
    if (worker.local_rank == 0) text += fmt::format("{}{}", text.empty() ? "" : "+", worker.local_size);
  }
  return text;
}

void Workers::must_agree(const std::string& what, const std::string& own) {
  const std::vector<std::string> all = comm().gather(own);
  std::map<std::string, int> votes;
  for (const std::string& vote : all) ++votes[vote];
  if (votes.size() == 1) return;
  // The majority is right; in a tie, the side of worker 0.
  std::string common = all[0];
  for (const auto& [vote, count] : votes) {
    if (count > votes[common]) common = vote;
  }
  std::string list;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] != common) list += fmt::format("\n  {}: {}", all_[i].name(), all[i]);
  }
  fail("{} differs between the workers: {} of them have {}, but{}", what, votes[common], common, list);
}

bool Workers::post(std::vector<std::byte> message) {
  Message whole = {rank_, std::move(message), 0};
  if (has_sender()) return watchdog_->telemetry().post(std::move(whole));
  return receiver_ && receiver_->put(std::move(whole));
}

void Workers::set_handler(TelemetryHandler handler) {
  if (leads()) receiver_->set_handler(std::move(handler));
}

void Workers::flush() {
  if (has_sender()) watchdog_->telemetry().flush(kFlushSeconds);
  comm().barrier();
  if (leads()) receiver_->drain(kFlushSeconds);
}

ClockOffset Workers::clock() const { return has_sender() ? watchdog_->telemetry().offset() : ClockOffset{0, 0}; }

void Workers::close() {
  flush();
  watchdog_->announce_shutdown();
  comm().close();
}

void with_workers(const std::function<void(Workers&)>& work) {
  const bool by_mpi = started_by_mpi();
  if (by_mpi) allow_many_files();
  auto workers =
      by_mpi ? std::make_unique<Workers>(make_mpi_transport, Workers::Watched::kYes) : std::make_unique<Workers>();
  const bool leads = workers->leads();
  if (!leads) leave_progress_to_others();
  const auto give_up = [&](const char* why, int exit_code) {
    workers->watchdog().report_failure(why, exit_code);
    if (by_mpi) (void)workers.release();  // its thread may be blocked inside MPI, and ends with the process
  };
  try {
    work(*workers);
  } catch (const Interrupted& interrupted) {
    give_up(interrupted.what(), interrupted.exit_code());
    if (!leads) throw Interrupted::in_silence(interrupted.exit_code() - 128);
    throw;
  } catch (const Error& error) {
    give_up(error.what(), error.exit_code());
    throw;
  } catch (const std::exception& error) {
    give_up(error.what(), 1);
    throw;
  }
  workers->close();
}

}  // namespace verbund
