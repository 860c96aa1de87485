#include "comm/watch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>

#include "comm/joining.h"
#include "comm/stall.h"
#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr double kPulseSeconds = 0.25;
constexpr double kLastWordsSeconds = 3;
constexpr std::chrono::milliseconds kSameReason{300};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::span<const std::byte> bytes(const Pulse& pulse) { return std::as_bytes(std::span(&pulse, 1)); }

}  // namespace

Watch::Watch(Communicator& communicator, const std::vector<Worker>& workers)
    : workers_(workers), rank_(static_cast<size_t>(communicator.rank())), peers_(workers.size()) {
  own_.rank = communicator.rank();
  connect(communicator);
  for (Peer& peer : peers_) peer.heard = now();
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

// Worker 0 opens a port and tells all where, and a number by which it knows them; each worker calls. That it could is
// compared, so that all fail together, and name who could not.
void Watch::connect(Communicator& communicator) {
  const std::vector<std::string> networks = communicator.gather(network_identity());
  const auto is_near = [&](const std::string& network) { return !network.empty() && network == networks[0]; };
  Socket listening;
  nlohmann::json meeting;
  if (rank_ == 0) {
    uint16_t port = 0;
    listening = listen_anywhere(port, std::all_of(networks.begin(), networks.end(), is_near));
    std::random_device random;
    meeting = {{"port", port}, {"addresses", own_addresses()}, {"run", uint64_t{random()} << 32 | random()}};
  }
  meeting = nlohmann::json::parse(communicator.broadcast(meeting.dump()));
  own_.run = meeting.at("run");
  const auto port = meeting.at("port").get<uint16_t>();
  const auto addresses = meeting.at("addresses").get<std::vector<std::string>>();

  const Pulse hello = own_pulse(PulseKind::kHello);
  std::vector<std::string> missing;
  if (rank_ == 0) {
    std::vector<Socket> sockets = await_workers(listening, peers_.size(), hello);
    for (size_t i = 1; i < peers_.size(); ++i) {
      peers_[i].socket = std::move(sockets[i]);
      if (!peers_[i].socket.is_open()) missing.push_back(workers_[i].name());
    }
  } else {
    peers_[0].socket =
        call_leader(is_near(networks[rank_]) ? std::vector<std::string>{"127.0.0.1"} : addresses, port, hello);
  }
  missing = nlohmann::json::parse(communicator.broadcast(nlohmann::json(missing).dump()));
  if (missing.empty()) return;
  throw Error(fmt::format("lost {} before the start: not come to {} at {}, port {}. Open all ports between the "
                          "hosts, or choose another network (launch --nic)",
                          fmt::join(missing, ", "), workers_[0].name(), fmt::join(addresses, ", "), port),
              kExitLostWorker);
}

void Watch::set_limits(const WorkersConfig& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

void Watch::set_log(WatchLog log) {
  const std::lock_guard lock(mutex_);
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

Pulse Watch::own_pulse(PulseKind kind) const {
  const std::lock_guard lock(mutex_);
  Pulse pulse = own_;
  pulse.kind = kind;
  pulse.waiting = pulse.entered > pulse.finished ? now() - entered_at_ : 0;
  return pulse;
}

void Watch::tell_all(PulseKind kind, const std::string& message, int exit_code) {
  Pulse pulse = own_pulse(kind);
  pulse.exit_code = exit_code;
  set_text(pulse.message, message);
  const std::lock_guard lock(sending_);
  for (Peer& peer : peers_) {
    if (peer.socket.is_open()) send(peer, pulse);
  }
}

// Never waits: a worker that does not read must not make this one look silent, too. Of what cannot leave now the
// rest is kept, so that pulses stay whole; while there is such a rest, further signs of life are not worth it.
void Watch::send(Peer& peer, const Pulse& pulse) {
  if (peer.unsent.empty() || pulse.kind != PulseKind::kAlive) {
    const auto whole = bytes(pulse);
    peer.unsent.insert(peer.unsent.end(), whole.begin(), whole.end());
  }
  const int sent = peer.socket.send(peer.unsent);
  if (sent > 0) peer.unsent.erase(peer.unsent.begin(), peer.unsent.begin() + sent);
}

void Watch::report_failure(const std::string& message, int exit_code) {
  failing_ = true;
  tell_all(rank_ == 0 ? PulseKind::kEnd : PulseKind::kFailed, message, exit_code);
  if (rank_ == 0) return;
  for (const double end = now() + kLastWordsSeconds; now() < end && !leader_gone_;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a signal of mpirun's does not cut it short
  }
}

void Watch::goodbye() { tell_all(PulseKind::kGoodbye, "", 0); }

void Watch::say(const std::string& message) {
  warn_line(message);
  const std::lock_guard lock(mutex_);
  if (log_) log_(message, false);
}

// Ends this process at once, wherever its threads are: what they wait for will not come. Files are
// whole or absent at any moment.
void Watch::end(const std::string& message, int exit_code) {
  if (!message.empty()) {
    tell_all(PulseKind::kEnd, message, exit_code);
    clear_status();
    print_line("verbund: " + message);
    const std::lock_guard lock(mutex_);
    if (log_) log_(message, true);
  }
  std::fflush(nullptr);
  _exit(exit_code);
}

void Watch::run() {
  double sent = 0;
  while (!stop_) {
    std::vector<pollfd> waiting;
    std::vector<size_t> ranks;
    for (size_t i = 0; i < peers_.size(); ++i) {
      if (!peers_[i].socket.is_open()) continue;
      waiting.push_back({peers_[i].socket.descriptor(), POLLIN, 0});
      ranks.push_back(i);
    }
    poll(waiting.data(), waiting.size(), 100);
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) read(ranks[i]);
    }
    if (now() - sent >= kPulseSeconds) {
      tell_all(PulseKind::kAlive, "", 0);
      sent = now();
    }
    look_for_stalls();
  }
}

void Watch::read(size_t rank) {
  Peer& peer = peers_[rank];
  while (true) {
    const auto place = std::as_writable_bytes(std::span(&peer.incoming, 1)).subspan(peer.received);
    const int more = peer.socket.receive(place);
    if (more == 0) return;
    if (more < 0) {
      {
        const std::lock_guard lock(sending_);
        peer.socket.close();
      }
      if (rank == 0) leader_gone_ = true;
      peer.left = peer.may_leave;
      if (peer.left || stop_ || failing_) return;
      end(fmt::format("lost {}: it ended without a word at step {} ({})", workers_[rank].name(), peer.pulse.step + 1,
                      peer.pulse.doing),
          kExitLostWorker);
    }
    peer.received += static_cast<size_t>(more);
    if (peer.received < sizeof(Pulse)) continue;
    peer.received = 0;
    peer.pulse = peer.incoming;
    peer.heard = now();
    hear(rank);
  }
}

void Watch::hear(size_t rank) {
  Peer& peer = peers_[rank];
  switch (peer.pulse.kind) {
    case PulseKind::kHello:
    case PulseKind::kAlive:
      return;
    case PulseKind::kGoodbye:
      peer.may_leave = true;
      return;
    case PulseKind::kFailed:
      std::this_thread::sleep_for(kSameReason);  // all may fail for the same reason; then worker 0 speaks for itself
      if (failing_) return;
      end(fmt::format("{}: {}", workers_[rank].name(), peer.pulse.message), peer.pulse.exit_code);
    case PulseKind::kEnd:
      if (failing_ && rank_ == 0) return;
      end("", peer.pulse.exit_code);  // the other has said why
  }
}

void Watch::look_for_stalls() {
  std::vector<WorkerSeen> seen;
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
  }
  const std::optional<Stall> stall = find_stall(seen);
  if (!stall || stall->seconds < limits.stall_warning_seconds) {
    if (warned_at_ > 0 && rank_ == 0) say("all workers go on");
    warned_at_ = 0;
    return;
  }
  // Worker 0 sees more; the others only speak up when it does not.
  const bool speaks = rank_ == 0 || seen.front().silent > 2;
  if (!speaks) return;
  if (stall->seconds >= limits.deadline_seconds) {
    end(fmt::format("lost {}: {}. That is longer than workers.deadline_seconds {:g}: all workers end "
                    "here. The same command starts again; training goes on from its last checkpoint",
                    seen[stall->worker].name, stall->message, limits.deadline_seconds),
        kExitLostWorker);
  }
  if (stall->seconds >= warned_at_ + limits.stall_warning_seconds) {
    warned_at_ = stall->seconds;
    say(stall->message);
  }
}

}  // namespace verbund
