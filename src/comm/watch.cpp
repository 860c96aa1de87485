#include "comm/watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr double kAliveSeconds = 0.25;
constexpr double kPingSeconds = 1;
constexpr int kFirstPings = 8;
constexpr double kFirstPingsSeconds = 2;
constexpr double kLastWordsSeconds = 3;
constexpr double kDrainSeconds = 1;
constexpr size_t kMostUnsent = 64 * 1024;  // of messages that have left the queue; signs of life are right after them
constexpr int kMessagesInTurn = 64;
constexpr std::chrono::milliseconds kSameReason{300};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void pause(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

Watch::Watch(Communicator& communicator, const std::vector<Worker>& workers, const RunClock& clock, Inbox* inbox)
    : workers_(workers),
      rank_(static_cast<size_t>(communicator.rank())),
      clock_(clock),
      inbox_(inbox),
      channel_(open_control_sockets(communicator, workers)),
      peers_(workers.size()) {
  own_.rank = communicator.rank();
  own_.run = channel_.run();
  for (Peer& peer : peers_) peer.heard = now();
  thread_ = std::thread([this] { run(); });
  if (rank_ == 0) return;
  const double end = now() + kFirstPingsSeconds;
  for (int i = 0; i < kFirstPings && await_answer(ping(), end); ++i) {
  }
}

Watch::~Watch() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Watch::set_limits(const WorkersConfig& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

void Watch::set_log(WatchLog log) {
  const std::lock_guard lock(logging_);
  log_ = std::move(log);
}

void Watch::at(int64_t step, const char* doing, bool any_time) {
  const std::lock_guard lock(mutex_);
  own_.any_time = any_time ? 1 : 0;
  own_.step = step;
  set_text(own_.doing, doing);
}

void Watch::enter(const char* operation) {
  const std::lock_guard lock(mutex_);
  ++own_.entered;
  entered_at_ = now();
  set_text(own_.operation, operation);
}

void Watch::leave() {
  const std::lock_guard lock(mutex_);
  own_.finished = own_.entered;
}

bool Watch::post(std::vector<std::byte> message) {
  const std::lock_guard lock(mutex_);
  return posted_.put({own_.rank, std::move(message), 0});
}

// The answer to a ping tells that all before it has come.
bool Watch::flush(double seconds) {
  const double end = now() + seconds;
  for (; !send_messages(); pause(std::chrono::milliseconds(1))) {
    if (now() >= end || leader_gone_) return false;
  }
  return await_answer(ping(), end);
}

ClockOffset Watch::clock() const {
  if (rank_ == 0) return {0, 0};
  const std::lock_guard lock(mutex_);
  return offset_.at(clock_.now());
}

Pulse Watch::own_pulse(PulseKind kind) const {
  const std::lock_guard lock(mutex_);
  Pulse pulse = own_;
  pulse.kind = kind;
  pulse.waiting = pulse.entered > pulse.finished ? now() - entered_at_ : 0;
  return pulse;
}

void Watch::tell_all(PulseKind kind, const std::string& text, int exit_code) {
  Pulse pulse = own_pulse(kind);
  pulse.exit_code = exit_code;
  channel_.send_all(pulse, bytes(text));
}

// As many as the network takes. True if none is left.
bool Watch::send_messages() {
  const std::lock_guard order(messaging_);
  for (int i = 0; i < kMessagesInTurn && channel_.unsent(0) < kMostUnsent; ++i) {
    std::optional<Message> message;
    {
      const std::lock_guard lock(mutex_);
      message = posted_.take();
    }
    if (!message) return true;
    Pulse pulse = own_pulse(PulseKind::kMessage);
    pulse.dropped = message->dropped_before;
    channel_.send(0, pulse, message->bytes);
  }
  return false;
}

uint64_t Watch::ping() {
  Pulse pulse = own_pulse(PulseKind::kPing);
  pulse.ping = ++pings_;
  pulse.sent = clock_.now();
  channel_.send(0, pulse);
  return pulse.ping;
}

bool Watch::await_answer(uint64_t ping, double end) const {
  for (; answered_ < ping; pause(std::chrono::microseconds(500))) {
    if (now() >= end || leader_gone_) return false;
  }
  return true;
}

void Watch::report_failure(const std::string& message, int exit_code) {
  failing_ = true;
  if (rank_ != 0) send_messages();
  tell_all(rank_ == 0 ? PulseKind::kEnd : PulseKind::kFailed, message, exit_code);
  if (rank_ == 0) return;
  for (const double end = now() + kLastWordsSeconds; now() < end && !leader_gone_;) {
    pause(std::chrono::milliseconds(20));  // a signal of mpirun's does not cut it short
  }
}

void Watch::goodbye() { tell_all(PulseKind::kGoodbye, "", 0); }

void Watch::say(const WatchNotice& notice) {
  warn_line(notice.message);
  const std::lock_guard lock(logging_);
  if (log_) log_(notice);
}

// Ends this process at once, wherever its threads are: what they wait for will not come. Files are
// whole or absent at any moment.
void Watch::end(const WatchNotice& notice, int exit_code) {
  tell_all(PulseKind::kEnd, notice.message, exit_code);
  clear_status();
  print_line("verbund: " + notice.message);
  if (inbox_ != nullptr) inbox_->drain(kDrainSeconds);  // the last words of who is lost
  {
    const std::lock_guard lock(logging_);
    if (log_) log_(notice);
  }
  leave_process(exit_code);
}

void Watch::leave_process(int exit_code) {
  std::fflush(nullptr);
  _exit(exit_code);
}

void Watch::run() {
  double told = 0, asked = now();
  while (!stop_) {
    channel_.listen([&](size_t rank, Heard heard, const Pulse& pulse, std::span<const std::byte> attached) {
      if (heard == Heard::kPulse) return hear(rank, pulse, attached);
      lose(rank, heard == Heard::kGone ? "it ended without a word" : "what it said made no sense");
    });
    if (rank_ != 0) send_messages();
    if (now() - told >= kAliveSeconds) {
      tell_alive();
      told = now();
    }
    if (rank_ != 0 && now() - asked >= kPingSeconds && answered_ == pings_) {
      ping();
      asked = now();
    }
    look_for_stalls();
  }
}

// Whoever has not got the pulses before does not need another one.
void Watch::tell_alive() {
  const Pulse pulse = own_pulse(PulseKind::kAlive);
  for (size_t rank = 0; rank < peers_.size(); ++rank) {
    if (channel_.unsent(rank) == 0) channel_.send(rank, pulse);
  }
}

void Watch::lose(size_t rank, const std::string& how) {
  Peer& peer = peers_[rank];
  if (rank == 0) leader_gone_ = true;
  peer.left = peer.may_leave;
  if (peer.left || stop_ || failing_) return;
  end({WatchNotice::Kind::kLost, static_cast<int>(rank),
       fmt::format("lost {}: {} at step {} ({})", workers_[rank].name(), how, peer.pulse.step + 1, peer.pulse.doing),
       true},
      kExitLostWorker);
}

void Watch::hear(size_t rank, const Pulse& pulse, std::span<const std::byte> attached) {
  const double arrived = clock_.now();
  Peer& peer = peers_[rank];
  peer.pulse = pulse;
  peer.heard = now();
  switch (pulse.kind) {
    case PulseKind::kHello:
    case PulseKind::kAlive:
      return;
    case PulseKind::kGoodbye:
      peer.may_leave = true;
      return;
    case PulseKind::kMessage:
      if (inbox_ != nullptr) inbox_->put({static_cast<int>(rank), {attached.begin(), attached.end()}, pulse.dropped});
      return;
    case PulseKind::kPing:
      return answer(rank, pulse, arrived);
    case PulseKind::kAnswer: {
      const std::lock_guard lock(mutex_);
      offset_.add({pulse.sent, pulse.received, pulse.replied, arrived});
      answered_ = std::max<uint64_t>(answered_, pulse.ping);
      return;
    }
    case PulseKind::kFailed:
      std::this_thread::sleep_for(kSameReason);  // all may fail for the same reason; then worker 0 speaks for itself
      if (failing_) return;
      end({WatchNotice::Kind::kFailed, static_cast<int>(rank),
           fmt::format("{}: {}", workers_[rank].name(),
                       std::string_view(reinterpret_cast<const char*>(attached.data()), attached.size())),
           true},
          pulse.exit_code);
    case PulseKind::kEnd:
      if (failing_ && rank_ == 0) return;
      if (inbox_ != nullptr) inbox_->drain(kDrainSeconds);
      leave_process(pulse.exit_code);  // the other has said why
  }
}

void Watch::answer(size_t rank, const Pulse& ping, double received) {
  Pulse pulse = own_pulse(PulseKind::kAnswer);
  pulse.ping = ping.ping;
  pulse.sent = ping.sent;
  pulse.received = received;
  pulse.replied = clock_.now();
  channel_.send(rank, pulse);
}

void Watch::look_for_stalls() {
  std::vector<WorkerSeen> seen;
  std::vector<int> ranks;
  WorkersConfig limits;
  const Pulse own = own_pulse(PulseKind::kAlive);
  {
    const std::lock_guard lock(mutex_);
    limits = limits_;
  }
  for (size_t i = 0; i < peers_.size(); ++i) {
    if (rank_ != 0 && i != 0 && i != rank_) continue;  // known to worker 0 alone
    const Peer& peer = peers_[i];
    const Pulse& pulse = i == rank_ ? own : peer.pulse;
    const double silent = i == rank_ ? 0 : now() - peer.heard;
    seen.push_back({workers_[i].name(), silent, pulse.entered, pulse.finished,
                    pulse.waiting > 0 ? pulse.waiting + silent : 0, pulse.step, pulse.doing, pulse.operation,
                    peer.left || failing_, pulse.any_time != 0});
    ranks.push_back(static_cast<int>(i));
  }
  const std::optional<Stall> stall = find_stall(seen);
  if (!stall || stall->seconds < limits.stall_warning_seconds) {
    if (warned_at_ > 0 && rank_ == 0) say({WatchNotice::Kind::kGoesOn, -1, "all workers go on", false});
    warned_at_ = 0;
    return;
  }
  // Worker 0 sees more; the others only speak up when it does not.
  const bool speaks = rank_ == 0 || seen.front().silent > 2;
  if (!speaks) return;
  const int worker = stall->of_all ? -1 : ranks[stall->worker];
  if (stall->seconds >= limits.deadline_seconds) {
    end({WatchNotice::Kind::kLost, worker,
         fmt::format("lost {}: {}. That is longer than workers.deadline_seconds {:g}: all workers end "
                     "here. The same command starts again; training goes on from its last checkpoint",
                     seen[stall->worker].name, stall->message, limits.deadline_seconds),
         true},
        kExitLostWorker);
  }
  if (stall->seconds >= warned_at_ + limits.stall_warning_seconds) {
    warned_at_ = stall->seconds;
    say({WatchNotice::Kind::kStall, worker, stall->message, false});
  }
}

}  // namespace verbund
