// SPDX-License-Identifier: Apache-2.0
#include "http/connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/error.h"

namespace verbund {
namespace {

constexpr double kSecondsToClose = 2;  // for a client to read an answer before it sends no more

std::chrono::steady_clock::time_point in_seconds(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Connections::Connections(int listener, const HttpServerConfig& config, HttpExchange& exchange)
    : config_(config), exchange_(exchange), listener_(listener), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) fail_errno("cannot make an eventfd");
}

Connections::~Connections() {
  for (const auto& connection : connections_) ::close(connection->descriptor);
  if (listener_ >= 0) ::close(listener_);
  ::close(wake_);
}

void Connections::stop() {
  asked_to_stop_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

void Connections::run() {
  for (int i = 0; i < config_.threads; ++i) threads_.emplace_back([this] { answer_requests(); });
  while (wait()) {
  }
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Connections::wait() {
  if (asked_to_stop_ && !stopping_) begin_stop();
  std::erase_if(connections_, [](const auto& connection) { return connection->descriptor < 0; });
  if (stopping_ && connections_.empty()) return false;

  const Clock::time_point now = Clock::now();
  const bool accepts = !stopping_ && now >= accept_again_;
  std::vector<pollfd> waited = {{wake_, POLLIN, 0}, {accepts ? listener_ : -1, POLLIN, 0}};
  Clock::time_point next = now + std::chrono::seconds(1);
  std::vector<Connection*> polled;
  for (const auto& connection : connections_) {
    if (connection->phase == Phase::kAnswering) continue;
    polled.push_back(connection.get());
    waited.push_back(
        {connection->descriptor, static_cast<int16_t>(connection->phase == Phase::kSending ? POLLOUT : POLLIN), 0});
    next = std::min(next, connection->deadline);
  }
  const auto patience = std::chrono::ceil<std::chrono::milliseconds>(std::max(next - now, Clock::duration(0)));
  ::poll(waited.data(), waited.size(), static_cast<int>(patience.count()));  // an error is not an event
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(wake_, &count, sizeof count);
  take_back_answered();
  for (size_t i = 0; i < polled.size(); ++i) {
    Connection& connection = *polled[i];
    if (waited[i + 2].revents == 0) continue;
    if (connection.phase == Phase::kReceiving) receive(connection);
    if (connection.phase == Phase::kSending) send(connection);
    if (connection.phase == Phase::kClosing) discard(connection);
  }
  end_expired();
  if (waited[1].revents != 0) accept_all();
  return true;
}

void Connections::accept_all() {
  while (true) {
    if (connections_.size() >= config_.max_connections && !make_room()) {
      accept_again_ = in_seconds(0.01);
      return;
    }
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) accept_again_ = in_seconds(0.1);
      if (errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_.push_back(
        std::make_unique<Connection>(Connection{descriptor, RequestReader(config_.max_head, config_.max_body)}));
    connections_.back()->deadline = in_seconds(config_.request_seconds);
    receive(*connections_.back());
  }
}

// Closes the connection with the least time left among those without a whole request; if there is none, among those
// that receive an answer.
bool Connections::make_room() {
  Connection* slowest = nullptr;
  const auto is_sent_to = [](const Connection& connection) { return connection.phase == Phase::kSending; };
  for (const auto& connection : connections_) {
    if (connection->phase == Phase::kAnswering || (asked_to_stop_ && is_sent_to(*connection))) continue;
    const auto order = [&](const Connection& one) { return std::pair(is_sent_to(one), one.deadline); };
    if (slowest == nullptr || order(*connection) < order(*slowest)) slowest = connection.get();
  }
  if (slowest == nullptr) return false;
  close(*slowest);
  std::erase_if(connections_, [](const auto& connection) { return connection->descriptor < 0; });
  return true;
}

void Connections::receive(Connection& connection) {
  char block[64 << 10];
  const ssize_t size = ::recv(connection.descriptor, block, sizeof block, 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return close(connection);
  if (connection.reader.is_untouched()) connection.deadline = in_seconds(config_.request_seconds);
  connection.reader.add({block, static_cast<size_t>(size)});
  take_request(connection);
}

void Connections::take_request(Connection& connection) {
  if (connection.reader.refusal() != 0) return refuse(connection, connection.reader.refusal());
  if (connection.reader.wants_continue()) {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    ::send(connection.descriptor, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
  }
  if (!connection.reader.is_complete()) return;
  connection.phase = Phase::kAnswering;
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({&connection, connection.reader.take()});
  }
  changed_.notify_one();
}

void Connections::answer_requests() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return finished_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    Connection& connection = *task.connection;
    Answered answered = exchange_.answer(std::move(task.request), asked_to_stop_,
                                         [&](std::string& bytes) { return send_all(connection.descriptor, bytes); });
    connection.unsent = std::move(answered.rest);
    connection.keeps_open = answered.keeps_open;
    {
      const std::lock_guard lock(mutex_);
      answered_.push_back(&connection);
    }
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  }
}

void Connections::take_back_answered() {
  std::vector<Connection*> answered;
  {
    const std::lock_guard lock(mutex_);
    answered.swap(answered_);
  }
  for (Connection* connection : answered) {
    connection->phase = Phase::kSending;
    connection->deadline = in_seconds(config_.send_seconds);
    send(*connection);
  }
}

void Connections::send(Connection& connection) {
  const ssize_t size = ::send(connection.descriptor, connection.unsent.data(), connection.unsent.size(), MSG_NOSIGNAL);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size < 0) return close(connection);
  connection.unsent.erase(0, static_cast<size_t>(size));
  if (!connection.unsent.empty()) return;
  if (connection.keeps_open && !stopping_) return await_request(connection);
  // A connection that is closed while bytes of the client are unread is reset, and the answer may be lost.
  ::shutdown(connection.descriptor, SHUT_WR);
  connection.phase = Phase::kClosing;
  connection.deadline = in_seconds(kSecondsToClose);
  discard(connection);
}

void Connections::await_request(Connection& connection) {
  connection.phase = Phase::kReceiving;
  connection.deadline = in_seconds(connection.reader.is_untouched() ? config_.idle_seconds : config_.request_seconds);
  take_request(connection);  // it may have come already
}

void Connections::discard(Connection& connection) {
  char block[64 << 10];
  const ssize_t size = ::recv(connection.descriptor, block, sizeof block, 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) close(connection);
}

void Connections::refuse(Connection& connection, int status) {
  connection.unsent = HttpExchange::refusal(status);
  connection.keeps_open = false;
  connection.phase = Phase::kSending;
  connection.deadline = in_seconds(config_.send_seconds);
  send(connection);
}

// Requests that have arrived are taken, also those of connections that wait to be accepted.
void Connections::begin_stop() {
  accept_all();
  for (const auto& connection : connections_) {
    if (connection->phase == Phase::kReceiving && connection->descriptor >= 0) receive(*connection);
    if (connection->phase == Phase::kReceiving && connection->descriptor >= 0) close(*connection);
  }
  ::close(listener_);
  listener_ = -1;
  stopping_ = true;
}

void Connections::end_expired() {
  const Clock::time_point now = Clock::now();
  for (const auto& connection : connections_) {
    if (connection->descriptor < 0 || connection->phase == Phase::kAnswering || now < connection->deadline) continue;
    if (connection->phase == Phase::kReceiving && !connection->reader.is_untouched()) {
      refuse(*connection, 408);
    } else {
      close(*connection);
    }
  }
}

void Connections::close(Connection& connection) {
  ::close(connection.descriptor);
  connection.descriptor = -1;  // and forgotten by wait()
}

bool Connections::send_all(int descriptor, std::string& bytes) const {
  const Clock::time_point deadline = in_seconds(config_.send_seconds);
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = ::send(descriptor, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size > 0) {
      sent += static_cast<size_t>(size);
      continue;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waited = {descriptor, POLLOUT, 0};
    if ((errno != EAGAIN && errno != EINTR) || left <= 0 || ::poll(&waited, 1, static_cast<int>(left)) == 0) {
      return false;
    }
  }
  bytes.clear();
  return true;
}

}  // namespace verbund
