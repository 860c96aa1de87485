// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>

#include "core/columns.h"
#include "core/json.h"
#include "core/log.h"
#include "http/access.h"
#include "http/connections.h"
#include "http/exchange.h"
#include "http/listener.h"

namespace verbund {
namespace {

struct Route {
  std::string method, path;  // of a prefix: without its *
  bool is_prefix = false;
  HttpHandler handler;

  bool matches(const std::string& asked) const { return is_prefix ? asked.starts_with(path) : asked == path; }
};

void add_common_headers(HttpResponse& response) {
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Referrer-Policy", "no-referrer");
  response.headers.emplace("Cache-Control", "no-store");
  if (!response.type.starts_with("text/html")) return;
  response.headers.emplace("Content-Security-Policy",
                           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string HttpRequest::query_value(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

HttpResponse http_error(int status, const std::string& message) {
  return {.status = status, .body = dump_json({{"error", message}}) + "\n"};
}

struct HttpServer::State {
  explicit State(HttpServerConfig settings)
      : config(std::move(settings)),
        exchange([this](const HttpRequest& request) { return answer(request); }, config.idle_seconds) {}

  HttpResponse answer(const HttpRequest& request) {
    HttpResponse response;
    if (auto refused = refuse_access(request, config, port)) {
      response = std::move(*refused);
    } else {
      response = limited(routed(request));
    }
    add_common_headers(response);
    if (const std::string origin = allowed_foreign_origin(request, config); !origin.empty()) {
      response.headers["Access-Control-Allow-Origin"] = origin;
      response.headers["Vary"] = "Origin";
    }
    return response;
  }

  HttpResponse routed(const HttpRequest& request) const {
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    const Route* best = nullptr;
    bool knows_path = false;
    for (const Route& route : routes) {
      if (!route.matches(request.path)) continue;
      knows_path = true;
      // The longest match wins; an exact path beats a prefix.
      const auto rank = [](const Route& each) { return std::pair(!each.is_prefix, each.path.size()); };
      if (route.method == method && (best == nullptr || rank(*best) < rank(route))) best = &route;
    }
    if (best == nullptr && knows_path && method == "OPTIONS") return preflight();
    if (best == nullptr && knows_path) return http_error(405, request.method + " is not possible here");
    if (best == nullptr) return http_error(404, "there is nothing at this path");
    try {
      return best->handler(request);
    } catch (const std::exception& error) {
      warn("{} {} failed: {}", request.method, printable(request.path), error.what());
      return http_error(500, error.what());
    }
  }

  static HttpResponse preflight() {
    return {.status = 204,
            .type = "text/plain",
            .headers = {{"Access-Control-Allow-Methods", "GET, POST"},
                        {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                        {"Access-Control-Max-Age", "600"}}};
  }

  // A stream holds its thread until it ends; half of the threads are left for others.
  HttpResponse limited(HttpResponse response) {
    if (!response.stream) return response;
    if (++streams > std::max(1, config.threads / 2)) {
      --streams;
      response = http_error(503, "too many streams are open");
      response.headers["Retry-After"] = "1";
      return response;
    }
    const std::shared_ptr<void> place(nullptr, [this](void*) { --streams; });
    response.stream = [place, stream = std::move(response.stream)](const SendChunk& send) {
      try {
        stream(send);
      } catch (const std::exception& error) {
        warn("a streamed answer failed: {}", error.what());
      }
    };
    return response;
  }

  HttpServerConfig config;
  int port = 0;
  std::vector<Route> routes;
  std::atomic<int> streams = 0;
  HttpExchange exchange;
  std::unique_ptr<Connections> connections;
};

HttpServer::HttpServer(HttpServerConfig config) : state_(std::make_unique<State>(std::move(config))) {}
HttpServer::~HttpServer() = default;

void HttpServer::on(std::string method, std::string path, HttpHandler handler) {
  const bool is_prefix = path.ends_with('*');
  if (is_prefix) path.pop_back();
  state_->routes.push_back({std::move(method), std::move(path), is_prefix, std::move(handler)});
}

int HttpServer::bind() {
  int port = state_->config.port;
  const int listener = open_listener(state_->config.host, port);
  state_->connections = std::make_unique<Connections>(listener, state_->config, state_->exchange);
  return state_->port = port;
}

void HttpServer::run() { state_->connections->run(); }
void HttpServer::stop() { state_->connections->stop(); }

std::string HttpServer::url() const {
  const std::string& host = state_->config.host;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}", is_ipv6 ? "[" + host + "]" : host, state_->port);
}

}  // namespace verbund
