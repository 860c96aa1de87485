// SPDX-License-Identifier: Apache-2.0
#include "http/exchange.h"

#include <httplib.h>

#include <cstring>

namespace verbund {
namespace {

// HeadStream gives httplib the head of a request, and takes its answer.
class HeadStream : public httplib::Stream {
 public:
  HeadStream(const ReceivedRequest& request, const SendNow& send) : send_(send), head_(request.line + "\r\n") {
    for (const auto& [name, value] : request.headers) {
      // A header that httplib would act upon: see exchange.h.
      if (name == "connection") head_ += name + ": " + value + "\r\n";
    }
    head_ += "\r\n";
  }

  bool is_readable() const override { return position_ < head_.size(); }
  bool is_writable() const override { return !gone_; }
  ssize_t read(char* bytes, size_t size) override {
    size = std::min(size, head_.size() - position_);
    std::memcpy(bytes, head_.data() + position_, size);
    position_ += size;
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* bytes, size_t size) override {
    answer_.append(bytes, size);
    if (streams_ && !gone_) gone_ = !send_(answer_);
    return gone_ ? -1 : static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return -1; }

  void stream() { streams_ = true; }
  bool gone() const { return gone_; }
  std::string& answer() { return answer_; }

 private:
  const SendNow& send_;
  std::string head_, answer_;
  size_t position_ = 0;
  bool streams_ = false, gone_ = false;
};

}  // namespace

class HttpExchange::Formatter : public httplib::Server {
 public:
  Formatter(HttpHandler handle, double idle_seconds) : handle_(std::move(handle)) {
    svr_sock_ = 0;  // httplib streams nothing before it listens
    set_keep_alive_timeout(static_cast<time_t>(idle_seconds));
    set_keep_alive_max_count(10000);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
      return HandlerResponse::Handled;
    });
  }

  Answered answer(ReceivedRequest received, bool closes, const SendNow& send) {
    HeadStream stream(received, send);
    bool is_last = closes;
    current_ = &stream;
    const bool done = process_request(stream, closes, is_last, [&](httplib::Request& request) {
      request.headers.clear();
      request.body = std::move(received.body);
      // Brotli as httplib calls it is too slow for answers that are made for each request.
      const auto accepted = received.headers.find("accept-encoding");
      if (accepted != received.headers.end()) {
        accepted->second = accepted->second.find("gzip") == std::string::npos ? "" : "gzip";
      }
      for (auto& [name, value] : received.headers) request.headers.emplace(name, std::move(value));
    });
    current_ = nullptr;
    return {std::move(stream.answer()), done && !is_last && !stream.gone()};
  }

 private:
  void respond(const httplib::Request& request, httplib::Response& response) {
    HttpRequest asked = {.method = request.method, .path = request.path, .body = request.body};
    asked.query.insert(request.params.begin(), request.params.end());
    asked.headers.insert(request.headers.begin(), request.headers.end());
    HttpResponse made = handle_(asked);
    response.status = made.status;
    for (const auto& [name, value] : made.headers) response.set_header(name, value);
    if (!made.stream) {
      response.set_content(made.body, made.type);
      return;
    }
    HeadStream& stream = *current_;
    response.set_chunked_content_provider(
        made.type, [&stream, chunks = std::move(made.stream)](size_t, httplib::DataSink& sink) {
          stream.stream();
          chunks([&](std::string_view chunk) {
            return chunk.empty() || (sink.write(chunk.data(), chunk.size()) && !stream.gone());
          });
          sink.done();
          return !stream.gone();
        });
  }

  HttpHandler handle_;
  static thread_local HeadStream* current_;
};

thread_local HeadStream* HttpExchange::Formatter::current_ = nullptr;

HttpExchange::HttpExchange(HttpHandler handle, double idle_seconds)
    : formatter_(std::make_unique<Formatter>(std::move(handle), idle_seconds)) {}
HttpExchange::~HttpExchange() = default;

Answered HttpExchange::answer(ReceivedRequest request, bool closes, const SendNow& send) {
  return formatter_->answer(std::move(request), closes, send);
}

std::string HttpExchange::refusal(int status) {
  const char* const reason = [&] {
    switch (status) {
      case 411:
        return "Length Required";
      case 413:
        return "Payload Too Large";
      case 414:
        return "URI Too Long";
      case 415:
        return "Unsupported Media Type";
      case 431:
        return "Request Header Fields Too Large";
      case 505:
        return "HTTP Version Not Supported";
      case 408:
        return "Request Timeout";
      default:
        return "Bad Request";
    }
  }();
  const std::string body = std::string("{\"error\":\"") + reason + "\"}";
  return "HTTP/1.1 " + std::to_string(status) + " " + reason +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n" + body;
}

}  // namespace verbund
