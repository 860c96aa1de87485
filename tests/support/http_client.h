// SPDX-License-Identifier: Apache-2.0
// HttpClient is a connection to a server on the loopback that sends any bytes, at any pace, and reads answers.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <map>
#include <string>
#include <string_view>

namespace verbund {

struct ClientReply {
  int status = 0;                              // 0: the connection was closed without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // of chunks: put together
};

class HttpClient {
 public:
  explicit HttpClient(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons(static_cast<uint16_t>(port));
    const timeval patience = {20, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    is_open_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
  }
  ~HttpClient() { ::close(descriptor_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool is_open() const { return is_open_; }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(size));
    }
    return true;
  }
  void end_sending() const { ::shutdown(descriptor_, SHUT_WR); }

  ClientReply receive() {
    ClientReply reply;
    do {
      const std::string head = until("\r\n\r\n");
      if (head.size() < 12) return {};
      reply = parse_head(head);
    } while (reply.status == 100);
    if (reply.headers.contains("content-length")) {
      reply.body = exactly(std::stoul(reply.headers["content-length"]));
    } else if (reply.headers["transfer-encoding"] == "chunked") {
      while (true) {
        const std::string line = until("\r\n");
        const size_t size = line.empty() ? 0 : std::stoul(line, nullptr, 16);
        reply.body += exactly(size);
        exactly(2);
        if (size == 0) break;
      }
    }
    return reply;
  }

  // A line of what is received, for streams.
  std::string next_line() { return until("\n"); }

  ClientReply ask(const std::string& method, const std::string& target, const std::string& body = "",
                  const std::string& headers = "Host: localhost\r\n") {
    send(method + " " + target + " HTTP/1.1\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body);
    return receive();
  }

 private:
  bool more() {
    char block[65536];
    const ssize_t size = ::recv(descriptor_, block, sizeof block, 0);
    if (size <= 0) return false;
    bytes_.append(block, static_cast<size_t>(size));
    return true;
  }
  std::string until(std::string_view end) {
    size_t at = 0;
    while ((at = bytes_.find(end)) == std::string::npos) {
      if (!more()) return "";
    }
    return exactly(at + end.size());
  }
  std::string exactly(size_t size) {
    while (bytes_.size() < size && more()) {
    }
    std::string taken = bytes_.substr(0, size);
    bytes_.erase(0, size);
    return taken;
  }
  static ClientReply parse_head(const std::string& head) {
    ClientReply reply;
    reply.status = std::stoi(head.substr(9, 3));
    for (size_t begin = head.find("\r\n") + 2; begin < head.size() && head.compare(begin, 2, "\r\n") != 0;) {
      const size_t colon = head.find(':', begin), end = head.find("\r\n", begin);
      std::string name = head.substr(begin, colon - begin);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      reply.headers[name] = head.substr(colon + 2, end - colon - 2);
      begin = end + 2;
    }
    return reply;
  }

  int descriptor_;
  bool is_open_ = false;
  std::string bytes_;
};

}  // namespace verbund
