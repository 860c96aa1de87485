// SPDX-License-Identifier: Apache-2.0
// HttpServer answers HTTP requests on one address. Everything has a bound: connections, threads, heads, bodies, times.
// Requests with a wrong Host or Origin, or without the token, are refused before a handler sees them.
//
// One thread receives the requests of all connections and sends their answers, so that slow clients do not delay
// others; threads take only requests that have arrived as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace verbund {

struct HttpRequest {
  std::string method, path;                       // the path is decoded: "/runs/a b"
  std::multimap<std::string, std::string> query;  // decoded
  std::map<std::string, std::string> headers;     // names in lower case
  std::string body;

  std::string header(const std::string& name) const;  // "" if there is none
  std::string query_value(const std::string& name) const;
};

using SendChunk = std::function<bool(std::string_view chunk)>;  // false: the client has gone

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
  std::function<void(const SendChunk& send)> stream;  // instead of a body: chunks as they are made
};

// {"error": message}
HttpResponse http_error(int status, const std::string& message);

using HttpHandler = std::function<HttpResponse(const HttpRequest& request)>;

struct HttpServerConfig {
  std::string host = "127.0.0.1";    // the address to listen at; "0.0.0.0" and "::" are all of this machine
  int port = 0;                      // 0: a free one
  std::string token;                 // "": everybody is answered
  std::vector<std::string> names;    // further names of this server that a Host may have; "*": any
  std::vector<std::string> origins;  // pages of these origins may ask, too: "https://example.org"; "*": any
  size_t max_head = 16 << 10;        // bytes of a request's line and headers
  size_t max_body = 1 << 20;
  size_t max_connections = 256;
  int threads = 8;              // handlers that run at a time; half of them may stream
  double request_seconds = 20;  // for a request to arrive
  double idle_seconds = 30;     // for the next request on a connection
  double send_seconds = 30;     // for a client to take an answer
};

class HttpServer {
 public:
  explicit HttpServer(HttpServerConfig config);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // A path, or all that begin with it if it ends in *. A handler of GET answers HEAD, too. Before run().
  void on(std::string method, std::string path, HttpHandler handler);
  // Listens, and returns the port. Fails if the address is in use or not of this machine.
  int bind();
  // Answers until stop() is called and every request that has arrived by then is answered.
  void run();
  // Any thread may call this, also before run().
  void stop();

  std::string url() const;  // "http://127.0.0.1:8000", after bind()

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace verbund
