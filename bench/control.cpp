// SPDX-License-Identifier: Apache-2.0
// bench_control measures what worker 0's side of the control channel costs with many workers: the seconds until all
// have joined, its CPU time, memory and sockets, and the round trips of the others' questions for its clock. One
// process is worker 0 with its real watchdog; a child process plays all others, over real sockets: each sends
// heartbeats, asks for the clock and posts messages as often as in a training. The leaders of the other hosts pass on
// what the workers of their hosts say with the real ControlChannel. Verifies that every message arrives.
//
//   bench_control [WORKERS=1024] [SECONDS=5] [MESSAGES PER SECOND OF EACH=2] [WORKERS PER HOST=8]
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "control/joining.h"
#include "control/watchdog.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/json.h"
#include "core/process.h"

using namespace verbund;

namespace {

constexpr double kAliveSeconds = 0.25, kPingSeconds = 1;  // as the watchdog has them
constexpr size_t kMessageBytes = 400;                     // about the record of a step

struct Load {
  size_t workers;
  double seconds;
  double messages_per_second;
  size_t per_host;

  std::vector<Worker> all() const {
    std::vector<Worker> all;
    for (size_t i = 0; i < workers; ++i) all.push_back({static_cast<int>(i), fmt::format("host-{}", i / per_host)});
    return all;
  }
};

double cpu_seconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double peak_megabytes() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

size_t sockets() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone).string().starts_with("socket:")) ++count;
  }
  return count;
}

// Worker 0's way to the others, who get what it says through a pipe.
class OneWay final : public Rendezvous {
 public:
  OneWay(size_t workers, int pipe) : workers_(workers), pipe_(pipe) {}
  int rank() const override { return 0; }
  std::vector<std::string> gather(const std::string& own) override {
    const std::string line = own + "\n";
    if (write(pipe_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail_errno("cannot write");
    return std::vector(workers_, own);
  }

 private:
  size_t workers_;
  int pipe_;
};

std::string read_line(int pipe) {
  std::string line;
  for (char letter = 0; read(pipe, &letter, 1) == 1 && letter != '\n';) line += letter;
  return line;
}

// All workers but worker 0. Leaders have a thread each, which passes on what comes; what they themselves say is sent by
// the thread that plays all workers.
class Others {
 public:
  explicit Others(const Load& load) : load_(load), tree_(load.all()), others_(load.workers - 1) {}
  ~Others() {
    stop_ = true;
    for (std::thread& thread : leaders_) thread.join();
  }

  // Those who have a connection to worker 0 call it at the same time.
  void join(const Json& invitation) {
    std::vector<Endpoint> endpoints;
    for (const auto& item : invitation.at("endpoints"))
      endpoints.push_back({*IpAddress::parse(item.at(0)), item.at(1)});
    for (size_t i = 0; i < others_.size(); ++i) {
      others_[i].state.run = invitation.at("run");
      others_[i].state.rank = static_cast<int32_t>(i + 1);
      others_[i].incoming = HeartbeatReader(others_[i].state.run);
    }
    std::vector<std::thread> callers;
    for (const size_t rank : tree_.children(0)) {
      callers.emplace_back([&, rank] {
        Heartbeat hello = others_[rank - 1].state;
        hello.kind = HeartbeatKind::kHello;
        others_[rank - 1].socket = call_parent(endpoints, hello);
      });
    }
    for (std::thread& caller : callers) caller.join();
    for (const size_t rank : tree_.children(0)) {
      if (!tree_.children(rank).empty()) lead(rank);
    }
  }

  void run() {
    const double start = monotonic_seconds();
    for (double now = start; now < start + load_.seconds; now = monotonic_seconds()) {
      for (Other& other : others_) {
        const double share = static_cast<double>(other.state.rank) / static_cast<double>(load_.workers);
        if (is_due(other.alive, kAliveSeconds, now - start, share)) send(other, HeartbeatKind::kAlive);
        if (is_due(other.pinged, kPingSeconds, now - start, share)) send(other, HeartbeatKind::kPing);
        if (is_due(other.posted, 1 / load_.messages_per_second, now - start, share))
          send(other, HeartbeatKind::kMessage);
      }
      hear(1);
    }
    for (Other& other : others_) send(other, HeartbeatKind::kShutdown);
    const double end = monotonic_seconds() + 5;
    while (monotonic_seconds() < end &&
           std::any_of(others_.begin(), others_.end(), [](Other& other) { return other.unsent() > 0; })) {
      hear(5);
    }
  }

  // What they have seen: sent messages, and the round trips of their questions.
  Json seen() {
    const std::lock_guard lock(mutex_);
    std::sort(trips_.begin(), trips_.end());
    const auto quantile = [&](double share) {
      return trips_.empty() ? 0 : trips_[static_cast<size_t>(share * static_cast<double>(trips_.size() - 1))];
    };
    return {{"messages_sent", messages_},
            {"round_trips", trips_.size()},
            {"round_trip_median", quantile(0.5)},
            {"round_trip_99", quantile(0.99)}};
  }

 private:
  struct Other {
    Socket socket;
    HeartbeatWriter outgoing;
    HeartbeatReader incoming;
    std::unique_ptr<ControlChannel> channel;  // of a leader, instead of these
    Heartbeat state;
    int alive = 0, pinged = 0, posted = 0;

    size_t unsent() {
      if (channel) return channel->unsent(0);
      outgoing.send(socket);
      return outgoing.unsent();
    }
  };

  // The connection of this worker to worker 0 becomes that of its host.
  void lead(size_t rank) {
    ControlSockets sockets{others_[rank - 1].state.run, rank, tree_, std::vector<Socket>(load_.workers)};
    sockets.by_rank[0] = std::move(others_[rank - 1].socket);
    for (const size_t child : tree_.children(rank)) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) fail_errno("cannot connect");
      sockets.by_rank[child] = Socket(ends[0]);
      others_[child - 1].socket = Socket(ends[1]);
    }
    others_[rank - 1].channel = std::make_unique<ControlChannel>(std::move(sockets));
    leaders_.emplace_back([this, rank, &channel = *others_[rank - 1].channel] {
      while (!stop_) {
        channel.listen([&](size_t, Heard heard, const Heartbeat& heartbeat, std::span<const std::byte>) {
          if (heard == Heard::kHeartbeat && heartbeat.to == static_cast<int64_t>(rank)) add_trip(heartbeat);
        });
      }
    });
  }

  void add_trip(const Heartbeat& heard) {
    if (heard.kind != HeartbeatKind::kAnswer) return;
    const std::lock_guard lock(mutex_);
    trips_.push_back(monotonic_seconds() - heard.sent);
  }

  // Every so many seconds, each worker at its own moment.
  static bool is_due(int& times, double every, double now, double share) {
    if (now < (times + share) * every) return false;
    ++times;
    return true;
  }

  void send(Other& other, HeartbeatKind kind) {
    Heartbeat heartbeat = other.state;
    heartbeat.kind = kind;
    heartbeat.sent = monotonic_seconds();
    static const std::vector<std::byte> message(kMessageBytes);
    const bool is_message = kind == HeartbeatKind::kMessage;
    messages_ += is_message ? 1 : 0;
    const auto attached = is_message ? std::span(message) : std::span<const std::byte>();
    if (other.channel) return other.channel->send(0, heartbeat, attached);
    other.outgoing.add(heartbeat, attached);
    other.outgoing.send(other.socket);
  }

  void hear(int milliseconds) {
    std::vector<pollfd> waiting;
    for (const Other& other : others_) waiting.push_back({other.socket.descriptor(), POLLIN, 0});
    poll(waiting.data(), waiting.size(), milliseconds);
    for (size_t i = 0; i < others_.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      while (others_[i].incoming.read(others_[i].socket) == Heard::kHeartbeat) {
        add_trip(others_[i].incoming.heartbeat());
      }
    }
  }

  const Load load_;
  const ControlTree tree_;
  std::vector<Other> others_;
  uint64_t messages_ = 0;
  std::mutex mutex_;  // of the next one
  std::vector<double> trips_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> leaders_;
};

void play_others(const Load& load, int pipe, int result) {
  Others others(load);
  read_line(pipe);  // where worker 0 is
  others.join(parse_json(read_line(pipe)));
  read_line(pipe);  // nobody is missing
  others.run();
  const std::string line = others.seen().dump() + "\n";
  if (write(result, line.data(), line.size()) < 0) fail_errno("cannot write");
  read_line(pipe);  // until worker 0 ends
}

void play_worker_0(const Load& load, int pipe, int result) {
  OneWay rendezvous(load.workers, pipe);
  const std::vector<Worker> workers = load.all();
  std::atomic<uint64_t> received = 0, dropped = 0;
  TelemetryReceiver receiver;
  receiver.set_handler([&](int, std::span<const std::byte>, uint64_t dropped_before) {
    ++received;
    dropped += dropped_before;
  });
  const double start = monotonic_seconds();
  Watchdog watchdog(rendezvous, workers, RunClock(), &receiver);
  const double joined = monotonic_seconds(), cpu = cpu_seconds();
  const Json others = parse_json(read_line(result));
  const uint64_t sent = others.at("messages_sent");
  for (const double end = monotonic_seconds() + 5; received < sent && monotonic_seconds() < end; receiver.drain(5)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // leaders may still be passing them on
  }
  const double share = (cpu_seconds() - cpu) / (monotonic_seconds() - joined);
  watchdog.announce_shutdown();
  Json line = {{"workers", load.workers},
               {"workers_per_host", load.per_host},
               {"joining_seconds", joined - start},
               {"cpu_share", share},
               {"megabytes", peak_megabytes()},
               {"sockets", sockets()},
               {"messages_received", received.load()},
               {"dropped", dropped.load()}};
  line.update(others);
  std::cout << line.dump() << std::endl;
  if (received != sent) fail("{} of {} messages arrived", received.load(), sent);
}

}  // namespace

int main(int argc, char** argv) {
  const Load load = {static_cast<size_t>(argc > 1 ? std::atoi(argv[1]) : 1024), argc > 2 ? std::atof(argv[2]) : 5,
                     argc > 3 ? std::atof(argv[3]) : 2, static_cast<size_t>(argc > 4 ? std::atoi(argv[4]) : 8)};
  allow_many_files();
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    close(there[1]);
    play_others(load, there[0], back[1]);
    _exit(0);
  }
  close(there[0]);
  play_worker_0(load, there[1], back[0]);
  close(there[1]);
  waitpid(child, nullptr, 0);
  return 0;
}
