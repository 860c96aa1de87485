#include "comm/watch.h"

#include <unistd.h>

#include <chrono>
#include <future>

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr double kAliveSeconds = 0.25;
constexpr double kPingSeconds = 1;
constexpr double kFirstPingsSeconds = 2;
constexpr double kLastWordsSeconds = 3;
constexpr double kDrainSeconds = 1;
constexpr double kAbortSeconds = 2;
constexpr std::chrono::milliseconds kSameReason{300};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

Watch::Watch(Communicator& communicator, const std::vector<Worker>& workers, const RunClock& clock, Inbox* inbox)
    : workers_(workers),
      rank_(static_cast<size_t>(communicator.rank())),
      clock_(clock),
      inbox_(inbox),
      channel_(open_control_sockets(communicator, workers)),
      mail_(channel_, clock, [this](PulseKind kind) { return own_pulse(kind); }),
      peers_(workers.size()) {
  own_.rank = communicator.rank();
  own_.run = channel_.run();
  for (Peer& peer : peers_) peer.heard = now();
  thread_ = std::thread([this] { run(); });
  if (rank_ != 0) mail_.set_clock(kFirstPingsSeconds);
}

Watch::Watch(const RunClock& clock)
    : rank_(0),
      clock_(clock),
      inbox_(nullptr),
      channel_(ControlSockets{}),
      mail_(channel_, clock, [this](PulseKind kind) { return own_pulse(kind); }) {}

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

void Watch::report_phase(int64_t step, const char* phase, bool any_time) {
  const std::lock_guard lock(mutex_);
  own_.any_time = any_time ? 1 : 0;
  own_.step = step;
  set_text(own_.doing, phase);
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

void Watch::report_failure(const std::string& message, int exit_code) {
  failing_ = true;
  if (rank_ != 0) mail_.send();
  tell_all(rank_ == 0 ? PulseKind::kEnd : PulseKind::kFailed, message, exit_code);
  if (rank_ == 0) return;
  for (const double end = now() + kLastWordsSeconds; now() < end && !leader_gone_;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a signal of mpirun's does not cut it short
  }
}

void Watch::set_abort(std::function<void()> abort) {
  const std::lock_guard lock(logging_);
  abort_ = std::move(abort);
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
  if (notice.kind == WatchNotice::Kind::kLost) tell_launch({notice.worker});
  if (inbox_ != nullptr) inbox_->drain(kDrainSeconds);  // the last words of who is lost
  {
    const std::lock_guard lock(logging_);
    if (log_) log_(notice);
  }
  leave_process(exit_code);
}

void Watch::leave_process(int exit_code) {
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

void Watch::run() {
  double told = 0, asked = now();
  while (!stop_) {
    channel_.listen([&](size_t rank, Heard heard, const Pulse& pulse, std::span<const std::byte> attached) {
      if (heard == Heard::kPulse) return hear(rank, pulse, attached);
      lose(rank, heard == Heard::kGone ? "it ended without a word" : "what it said made no sense");
    });
    if (rank_ != 0) mail_.send();
    if (now() - told >= kAliveSeconds) {
      tell_alive();
      told = now();
    }
    if (rank_ != 0 && now() - asked >= kPingSeconds) {
      mail_.ask_again();
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
  if (rank == 0) {
    leader_gone_ = true;
    mail_.close();
  }
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
    case PulseKind::kAnswer:
      return mail_.hear_answer(pulse, arrived);
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
