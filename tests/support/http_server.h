// SPDX-License-Identifier: Apache-2.0
// HttpServer is a small server on 127.0.0.1 whose every answer a test can decide: whole, in parts, broken off, stalled.
// One request per connection, one connection at a time.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace verbund {

struct HttpRequest {
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct HttpReply {
  int status = 200;
  std::map<std::string, std::string> headers;
  std::string body;
  bool length = true;                      // say the Content-Length?
  size_t break_after = std::string::npos;  // closes the connection after so many bytes of the body
  bool stall = false;                      // ... or stays silent there until the client leaves
};

class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest& request, int number)>;  // number: 0, 1, 2 ...

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    setenv("no_proxy", "127.0.0.1", 1);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
    thread_.join();
    ::close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (int number = 0;; ++number) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      const HttpRequest request = read_request(client);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      answer(client, handler_(request, number));
      ::close(client);
    }
  }

  static HttpRequest read_request(int client) {
    std::string text;
    char block[4096];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const ssize_t size = ::recv(client, block, sizeof block, 0);
      if (size <= 0) return {};
      text.append(block, static_cast<size_t>(size));
    }
    HttpRequest request;
    size_t begin = text.find(' ') + 1;
    request.path = text.substr(begin, text.find(' ', begin) - begin);
    for (begin = text.find("\r\n") + 2; text.compare(begin, 2, "\r\n") != 0; begin = text.find("\r\n", begin) + 2) {
      const size_t colon = text.find(':', begin), end = text.find("\r\n", begin);
      std::string name = text.substr(begin, colon - begin);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      request.headers[name] = text.substr(colon + 2, end - colon - 2);
    }
    return request;
  }

  static void answer(int client, const HttpReply& reply) {
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Test\r\nConnection: close\r\n";
    if (reply.length) text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
    for (const auto& [name, value] : reply.headers) text += name + ": " + value + "\r\n";
    text += "\r\n" + reply.body.substr(0, reply.break_after);
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t size = ::send(client, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return;
      sent += static_cast<size_t>(size);
    }
    if (reply.stall) {
      pollfd gone = {client, POLLRDHUP, 0};
      ::poll(&gone, 1, 10000);
    }
  }

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

// Answers as a well-behaved server with this file does: a part if it is asked for one of
// the version that it has.
inline HttpReply serve_file(const HttpRequest& request, const std::string& content, const std::string& tag = "\"v1\"") {
  HttpReply reply = {.headers = {{"ETag", tag}}, .body = content};
  const std::string range = request.header("range"), condition = request.header("if-range");
  if (range.empty() || (!condition.empty() && condition != tag)) return reply;
  const size_t first = std::stoul(range.substr(std::string("bytes=").size()));
  const std::string size = std::to_string(content.size());
  if (first >= content.size()) return {.status = 416, .headers = {{"Content-Range", "bytes */" + size}}};
  reply.status = 206;
  reply.body = content.substr(first);
  reply.headers["Content-Range"] =
      "bytes " + std::to_string(first) + "-" + std::to_string(content.size() - 1) + "/" + size;
  return reply;
}

}  // namespace verbund
