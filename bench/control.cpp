// SPDX-License-Identifier: Apache-2.0
// bench_control measures what worker 0's side of the control channel costs with many workers: the seconds until all
// have joined, its CPU time and memory, and the round trips of the others' questions for its clock. One process is
// worker 0 with its real watchdog; a child process plays all others, over real sockets: each sends heartbeats, asks for
// the clock and posts messages as often as in a training. Verifies that every message arrives.
//
//   bench_control [WORKERS=1024] [SECONDS=5] [MESSAGES PER SECOND OF EACH=2]
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iostream>
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

// Worker 0's way to the others, who get what it broadcasts through a pipe.
class OneWay final : public Rendezvous {
 public:
  OneWay(size_t workers, int pipe) : workers_(workers), pipe_(pipe) {}
  int rank() const override { return 0; }
  std::vector<std::string> gather(const std::string& own) override { return std::vector(workers_, own); }
  std::string broadcast(const std::string& text) override {
    const std::string line = text + "\n";
    if (write(pipe_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail_errno("cannot write");
    return text;
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

// All workers but worker 0.
class Others {
 public:
  explicit Others(const Load& load) : load_(load), others_(load.workers - 1) {}

  // All of them call at the same time.
  void join(const Json& invitation) {
    std::vector<Endpoint> endpoints;
    for (const auto& item : invitation.at("endpoints"))
      endpoints.push_back({*IpAddress::parse(item.at(0)), item.at(1)});
    std::vector<std::thread> callers;
    for (size_t i = 0; i < others_.size(); ++i) {
      Other& other = others_[i];
      other.state.run = invitation.at("run");
      other.state.rank = static_cast<int32_t>(i + 1);
      other.incoming = HeartbeatReader(other.state.run);
      callers.emplace_back([&] {
        Heartbeat hello = other.state;
        hello.kind = HeartbeatKind::kHello;
        other.socket = call_leader(endpoints, hello);
      });
    }
    for (std::thread& caller : callers) caller.join();
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
        other.outgoing.send(other.socket);
      }
      hear(1);
    }
    for (Other& other : others_) send(other, HeartbeatKind::kShutdown);
    const double end = monotonic_seconds() + 5;
    while (monotonic_seconds() < end && std::any_of(others_.begin(), others_.end(), [](Other& other) {
             other.outgoing.send(other.socket);
             return other.outgoing.unsent() > 0;
           })) {
      hear(5);
    }
  }

  // What they have seen: sent messages, and the round trips of their questions.
  Json seen() {
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
    Heartbeat state;
    HeartbeatWriter outgoing;
    HeartbeatReader incoming;
    int alive = 0, pinged = 0, posted = 0;
  };

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
    other.outgoing.add(heartbeat, is_message ? std::span(message) : std::span<const std::byte>());
  }

  void hear(int milliseconds) {
    std::vector<pollfd> waiting;
    for (const Other& other : others_) waiting.push_back({other.socket.descriptor(), POLLIN, 0});
    poll(waiting.data(), waiting.size(), milliseconds);
    for (size_t i = 0; i < others_.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      while (others_[i].incoming.read(others_[i].socket) == Heard::kHeartbeat) {
        const Heartbeat& heard = others_[i].incoming.heartbeat();
        if (heard.kind == HeartbeatKind::kAnswer) trips_.push_back(monotonic_seconds() - heard.sent);
      }
    }
  }

  const Load load_;
  std::vector<Other> others_;
  uint64_t messages_ = 0;
  std::vector<double> trips_;
};

void play_others(const Load& load, int pipe, int result) {
  Others others(load);
  others.join(parse_json(read_line(pipe)));
  read_line(pipe);  // nobody is missing
  others.run();
  const std::string line = others.seen().dump() + "\n";
  if (write(result, line.data(), line.size()) < 0) fail_errno("cannot write");
  read_line(pipe);  // until worker 0 ends
}

void play_worker_0(const Load& load, int pipe, int result) {
  OneWay rendezvous(load.workers, pipe);
  std::vector<Worker> workers;
  for (size_t i = 0; i < load.workers; ++i) workers.push_back({static_cast<int>(i), "host-" + std::to_string(i / 8)});
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
  receiver.drain(5);
  const double share = (cpu_seconds() - cpu) / (monotonic_seconds() - joined);
  watchdog.announce_shutdown();
  Json line = {{"workers", load.workers},       {"joining_seconds", joined - start},    {"cpu_share", share},
               {"megabytes", peak_megabytes()}, {"messages_received", received.load()}, {"dropped", dropped.load()}};
  line.update(others);
  std::cout << line.dump() << std::endl;
  const uint64_t sent = others.at("messages_sent");
  if (received != sent) fail("{} of {} messages arrived", received.load(), sent);
}

}  // namespace

int main(int argc, char** argv) {
  const Load load = {static_cast<size_t>(argc > 1 ? std::atoi(argv[1]) : 1024), argc > 2 ? std::atof(argv[2]) : 5,
                     argc > 3 ? std::atof(argv[3]) : 2};
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
