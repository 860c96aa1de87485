// SPDX-License-Identifier: Apache-2.0
// Connections receives requests from many clients in one thread and hands each that has arrived as a whole to a thread
// that answers it. Answers are sent as fast as each client takes them. Silent and slow clients cost a descriptor and a
// buffer, and the slowest leaves when there is no room for another.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/exchange.h"
#include "http/request_reader.h"
#include "http/server.h"

namespace verbund {

class Connections {
 public:
  // Owns the listening socket.
  Connections(int listener, const HttpServerConfig& config, HttpExchange& exchange);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  void run();
  void stop();  // from any thread

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { kReceiving, kAnswering, kSending, kClosing };
  struct Connection {
    int descriptor;
    RequestReader reader;
    Phase phase = Phase::kReceiving;
    Clock::time_point deadline;
    std::string unsent;
    bool keeps_open = false;
  };

  bool wait();  // for something to happen; false: nothing is left to do
  void accept_all();
  bool make_room();
  void receive(Connection& connection);
  void take_request(Connection& connection);
  void take_back_answered();
  void send(Connection& connection);
  void discard(Connection& connection);
  void refuse(Connection& connection, int status);
  void await_request(Connection& connection);
  void begin_stop();
  void end_expired();
  void close(Connection& connection);
  void answer_requests();  // by each thread
  bool send_all(int descriptor, std::string& bytes) const;

  const HttpServerConfig config_;
  HttpExchange& exchange_;
  int listener_;
  int wake_;  // an eventfd
  std::atomic<bool> asked_to_stop_ = false;
  bool stopping_ = false;
  Clock::time_point accept_again_;  // after the descriptors ran out
  std::vector<std::unique_ptr<Connection>> connections_;

  std::mutex mutex_;
  std::condition_variable changed_;
  struct Task {
    Connection* connection;
    ReceivedRequest request;
  };
  std::deque<Task> tasks_;
  std::vector<Connection*> answered_;
  bool finished_ = false;  // no task will follow
  std::vector<std::thread> threads_;
};

}  // namespace verbund
