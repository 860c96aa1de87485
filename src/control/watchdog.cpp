// SPDX-License-Identifier: Apache-2.0
#include "control/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "core/elapsed.h"
#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr double kAliveSeconds = 0.25;
constexpr double kPingSeconds = 1;
constexpr double kLongGap = 1;  // a neighbour that was silent for longer was frozen, or the network to it
constexpr double kSilentSeconds = 2;
constexpr double kLookSeconds = 0.1;  // looking at a thousand workers after every heartbeat would take a core
constexpr double kFirstPingsSeconds = 2;
constexpr double kLastWordsSeconds = 3;
// While a model is loaded or saved, all workers may wait longer for a slow network, but not for ever.
constexpr double kBlockingFactor = 20;
constexpr double kDrainSeconds = 1;
constexpr double kAbortSeconds = 2;
constexpr std::chrono::milliseconds kSameReason{300};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Watchdog::Watchdog(Rendezvous& rendezvous, const std::vector<Worker>& workers, const RunClock& clock,
                   TelemetryReceiver* receiver)
    : workers_(workers),
      rank_(static_cast<size_t>(rendezvous.rank())),
      clock_(clock),
      receiver_(receiver),
      channel_(open_control_sockets(rendezvous, workers)),
      sender_(channel_, clock, [this](HeartbeatKind kind) { return own_heartbeat(kind); }),
      peers_(workers.size()) {
  own_.rank = rendezvous.rank();
  own_.run = channel_.run();
  for (Peer& peer : peers_) peer.heard = peer.step_since = peer.entered_at = monotonic_seconds();
  step_since_ = monotonic_seconds();
  thread_ = std::thread([this] { run(); });
  if (rank_ != 0) sender_.set_clock(kFirstPingsSeconds);
}

Watchdog::Watchdog(const RunClock& clock)
    : rank_(0),
      clock_(clock),
      receiver_(nullptr),
      channel_(ControlSockets{}),
      sender_(channel_, clock, [this](HeartbeatKind kind) { return own_heartbeat(kind); }) {}

Watchdog::~Watchdog() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Watchdog::set_limits(const WorkersConfig& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

void Watchdog::set_log(WatchdogLog log) {
  const std::lock_guard lock(logging_);
  log_ = std::move(log);
}

void Watchdog::report_phase(int64_t step, const char* phase, bool may_block) {
  const std::lock_guard lock(mutex_);
  own_.may_block = may_block ? 1 : 0;
  if (own_.step != step) step_since_ = monotonic_seconds();
  own_.step = step;
  set_text(own_.doing, phase);
}

void Watchdog::enter(const char* operation) {
  const std::lock_guard lock(mutex_);
  ++own_.entered;
  entered_at_ = monotonic_seconds();
  set_text(own_.operation, operation);
}

void Watchdog::leave() {
  const std::lock_guard lock(mutex_);
  own_.finished = own_.entered;
}

Heartbeat Watchdog::own_heartbeat(HeartbeatKind kind) const {
  const std::lock_guard lock(mutex_);
  Heartbeat heartbeat = own_;
  heartbeat.kind = kind;
  heartbeat.waiting = heartbeat.entered > heartbeat.finished ? monotonic_seconds() - entered_at_ : 0;
  return heartbeat;
}

int64_t Watchdog::own_step() const {
  const std::lock_guard lock(mutex_);
  return own_.step;
}

void Watchdog::send_all(HeartbeatKind kind, const std::string& text, int exit_code) {
  Heartbeat heartbeat = own_heartbeat(kind);
  heartbeat.exit_code = exit_code;
  channel_.send_all(heartbeat, bytes_of(text));
}

void Watchdog::report_failure(const std::string& message, int exit_code) {
  failing_ = true;
  if (rank_ == 0) return send_all(HeartbeatKind::kEnd, message, exit_code);
  sender_.send();
  Heartbeat failed = own_heartbeat(HeartbeatKind::kFailed);
  failed.exit_code = exit_code;
  channel_.send(0, failed, bytes_of(message));
  for (const double end = monotonic_seconds() + kLastWordsSeconds; monotonic_seconds() < end && !leader_gone_;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a signal from mpirun does not end it early
  }
}

void Watchdog::set_abort(std::function<void()> abort) {
  const std::lock_guard lock(logging_);
  abort_ = std::move(abort);
}

void Watchdog::announce_shutdown() { send_all(HeartbeatKind::kShutdown, "", 0); }

void Watchdog::report(WatchdogEvent event) {
  event.step = own_step();
  warn_line(event.message);
  const std::lock_guard lock(logging_);
  if (log_) log_(event);
}

// Ends this process at once, whatever its threads wait for. Files are complete or absent at any moment.
void Watchdog::end(WatchdogEvent event, int exit_code) {
  event.step = own_step();
  send_all(HeartbeatKind::kEnd, event.message, exit_code);
  clear_status();
  print_line("verbund: " + event.message);
  if (event.kind == WatchdogEvent::Kind::kLost) tell_launch({WorkerEvent::kLost, event.worker});
  if (receiver_ != nullptr) receiver_->drain(kDrainSeconds);  // the last messages of the lost worker
  {
    const std::lock_guard lock(logging_);
    if (log_) log_(event);
  }
  leave_process(exit_code);
}

void Watchdog::leave_process(int exit_code) {
  std::fflush(nullptr);
  if (std::function<void()> abort = [&] {
        const std::lock_guard lock(logging_);
        return abort_;
      }()) {
    std::packaged_task<void()> last(std::move(abort));
    const std::future<void> done = last.get_future();
    std::thread(std::move(last)).detach();
    done.wait_for(std::chrono::duration<double>(kAbortSeconds));
  }
  _exit(exit_code);
}

void Watchdog::run() {
  const auto hear_one = [&](size_t rank, Heard heard, const Heartbeat& heartbeat, std::span<const std::byte> attached) {
    if (heard == Heard::kHeartbeat) return hear(rank, heartbeat, attached);
    lose(rank, heard == Heard::kGone ? "it ended without a message" : "it sent a malformed message");
  };
  double sent = 0, looked = 0, asked = monotonic_seconds();
  while (!stop_) {
    channel_.listen(hear_one);
    if (rank_ != 0) sender_.send();
    if (monotonic_seconds() - sent >= kAliveSeconds) {
      send_all(HeartbeatKind::kAlive, "", 0);
      sent = monotonic_seconds();
    }
    if (rank_ != 0 && monotonic_seconds() - asked >= kPingSeconds) {
      sender_.ask_again();
      asked = monotonic_seconds();
    }
    if (monotonic_seconds() - looked >= kLookSeconds) {
      look_for_stalls();
      looked = monotonic_seconds();
    }
  }
  channel_.finish(hear_one, kDrainSeconds);
}

// Tells those who cannot see it. What it had sent has been passed on before.
void Watchdog::tell_gone(size_t rank, const std::string& how) {
  Heartbeat gone = peers_[rank].heartbeat;
  gone.run = channel_.run();
  gone.kind = HeartbeatKind::kGone;
  gone.rank = static_cast<int32_t>(rank);
  if (rank != 0) return channel_.send(0, gone, bytes_of(how));
  for (const size_t child : channel_.tree().children(rank_)) channel_.send(child, gone, bytes_of(how));
}

void Watchdog::lose(size_t rank, const std::string& how) {
  Peer& peer = peers_[rank];
  const ControlTree& tree = channel_.tree();
  peer.left = peer.may_leave;
  if (rank_ != 0 && tree.parent(rank) == rank_) return tell_gone(rank, how);  // worker 0 reports it
  if (rank_ != 0) {
    leader_gone_ = true;
    sender_.close();
  }
  // When a leader shuts down in order, its workers count as left: all workers were ready to leave.
  for (size_t other = 0; peer.left && other < peers_.size(); ++other) {
    if (other != rank_ && tree.next_hop(rank_, other) == rank) peers_[other].left = true;
  }
  if (peer.left || stop_ || failing_) {
    if (rank == 0) tell_gone(rank, how);
    return;
  }
  if (rank != 0 && rank_ != 0) std::this_thread::sleep_for(kSameReason);  // worker 0 sees it as well, and reports it
  end({WatchdogEvent::Kind::kLost, static_cast<int>(rank),
       fmt::format("lost {}: {} at step {} ({})", workers_[rank].name(), how, peer.heartbeat.step + 1,
                   peer.heartbeat.doing),
       true},
      kExitLostWorker);
}

void Watchdog::hear(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached) {
  const double arrived = clock_.now(), now = monotonic_seconds();
  Peer &peer = peers_[rank], &neighbour = peers_[channel_.tree().next_hop(rank_, rank)];
  neighbour.followed += std::min(now - neighbour.heard, kLongGap);
  neighbour.heard = now;
  peer.seen = neighbour.followed;
  if (peer.heartbeat.step != heartbeat.step) peer.step_since = now;
  if (peer.heartbeat.entered != heartbeat.entered) peer.entered_at = now;
  peer.heartbeat = heartbeat;
  if (heartbeat.kind == HeartbeatKind::kShutdown) peer.may_leave = true;
  const bool is_for_this = heartbeat.to == kToAll || heartbeat.to == own_.rank;
  if (!is_for_this && heartbeat.kind != HeartbeatKind::kEnd) return;  // it passes through this leader
  switch (heartbeat.kind) {
    case HeartbeatKind::kHello:
    case HeartbeatKind::kAlive:
    case HeartbeatKind::kShutdown:
      return;
    case HeartbeatKind::kGone:
      return lose(rank, text_of(attached));
    case HeartbeatKind::kMessage:
      if (receiver_ != nullptr)
        receiver_->put({static_cast<int>(rank), {attached.begin(), attached.end()}, heartbeat.dropped});
      return;
    case HeartbeatKind::kPing:
      return answer(rank, heartbeat, arrived);
    case HeartbeatKind::kAnswer:
      return sender_.hear_answer(heartbeat, arrived);
    case HeartbeatKind::kFailed:
      std::this_thread::sleep_for(
          kSameReason);  // all may fail for the same reason; then worker 0 reports its own failure
      if (failing_) return;
      end({WatchdogEvent::Kind::kFailed, static_cast<int>(rank),
           fmt::format("{}: {}", workers_[rank].name(), text_of(attached)), true},
          heartbeat.exit_code);
    case HeartbeatKind::kEnd:
      if (failing_ && rank_ == 0) return;
      if (rank != 0) send_all(HeartbeatKind::kEnd, "", heartbeat.exit_code);  // worker 0 has told all
      if (receiver_ != nullptr) receiver_->drain(kDrainSeconds);
      leave_process(heartbeat.exit_code);  // the other one has reported the reason
  }
}

void Watchdog::answer(size_t rank, const Heartbeat& ping, double received) {
  Heartbeat heartbeat = own_heartbeat(HeartbeatKind::kAnswer);
  heartbeat.ping = ping.ping;
  heartbeat.sent = ping.sent;
  heartbeat.received = received;
  heartbeat.replied = clock_.now();
  channel_.send(rank, heartbeat);
}

// Silence of a rank. That of a relayed rank counts only while its relay is heard.
double Watchdog::silence_of(size_t rank) const {
  const size_t neighbour = channel_.tree().next_hop(rank_, rank);
  if (neighbour == rank) return monotonic_seconds() - peers_[rank].heard;
  return peers_[neighbour].followed - peers_[rank].seen;
}

void Watchdog::look_for_stalls() {
  std::vector<WorkerSeen> seen;
  std::vector<int> ranks;
  WorkersConfig limits;
  double step_since = 0, entered_at = 0;
  const Heartbeat own = own_heartbeat(HeartbeatKind::kAlive);
  {
    const std::lock_guard lock(mutex_);
    limits = limits_;
    step_since = step_since_;
    entered_at = entered_at_;
  }
  for (size_t i = 0; i < peers_.size(); ++i) {
    if (rank_ != 0 && i != 0 && i != rank_ && i != channel_.tree().parent(rank_)) continue;  // worker 0 judges them
    const Peer& peer = peers_[i];
    const Heartbeat& heartbeat = i == rank_ ? own : peer.heartbeat;
    const double silent = i == rank_ ? 0 : silence_of(i);
    seen.push_back({workers_[i].name(), silent, heartbeat.entered, heartbeat.finished,
                    heartbeat.waiting > 0 ? heartbeat.waiting + silent : 0, heartbeat.step, heartbeat.doing,
                    heartbeat.operation, peer.left || failing_, heartbeat.may_block != 0,
                    monotonic_seconds() - (i == rank_ ? step_since : peer.step_since),
                    monotonic_seconds() - (i == rank_ ? entered_at : peer.entered_at)});
    ranks.push_back(static_cast<int>(i));
  }
  const std::optional<Stall> stall = find_stall(seen);
  if (!stall || stall->seconds < limits.stall_warning_seconds) {
    if (warned_at_ > 0 && rank_ == 0) report({WatchdogEvent::Kind::kResumed, -1, "all workers have resumed", false});
    warned_at_ = 0;
    return;
  }
  // Worker 0 reports stalls. Others act only when worker 0 or their leader is silent: then worker 0's end message
  // cannot reach them.
  if (rank_ != 0 && seen[stall->worker].silent <= kSilentSeconds) return;
  const int worker = stall->of_all ? -1 : ranks[stall->worker];
  const bool waits_for_worker_0 = rank_ != 0 && worker != 0;
  const double deadline = limits.deadline_seconds * (stall->may_block ? kBlockingFactor : 1);
  if (stall->seconds >= deadline + (waits_for_worker_0 ? kLastWordsSeconds : 0)) {
    end({WatchdogEvent::Kind::kLost, worker,
         fmt::format("lost {}: {}. That is longer than workers.deadline_seconds {:g}, so all workers end. "
                     "Start the same command again: training resumes from its last checkpoint",
                     seen[stall->worker].name, stall->message, limits.deadline_seconds),
         true},
        kExitLostWorker);
  }
  if (!waits_for_worker_0 && stall->seconds >= warned_at_ + limits.stall_warning_seconds) {
    warned_at_ = stall->seconds;
    report({WatchdogEvent::Kind::kStall, worker, stall->message, false});
  }
}

}  // namespace verbund
