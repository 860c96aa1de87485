// SPDX-License-Identifier: Apache-2.0
#include "http/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "core/ip_address.h"

namespace verbund {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& each) { return each == text || each == "*"; });
}

// "[::1]:80" -> "::1", "name:80" -> "name"
std::string name_of_host(const std::string& host) {
  if (host.starts_with('[')) return host.substr(1, std::min(host.find(']'), host.size()) - 1);
  return host.substr(0, host.find(':'));
}

// A browser that was led here by a name of somebody else's sends that name. An address cannot be rebound, so that any
// is right for a server that listens at all of this machine's.
bool is_own_host(const std::string& host, const HttpServerConfig& config) {
  const std::string name = name_of_host(host);
  if (name == "localhost" || contains(config.names, name)) return true;
  const auto address = IpAddress::parse(name);
  if (!address) return name == config.host && !name.empty();
  const bool listens_everywhere = config.host == "0.0.0.0" || config.host == "::";
  return listens_everywhere || address->is_loopback() || address == IpAddress::parse(config.host);
}

bool is_own_origin(const std::string& origin, const std::string& host) {
  return origin == "http://" + host || origin == "https://" + host;
}

// A link that the user follows from another page: it shows a page, and that page cannot be read by the other one.
bool is_followed_link(const HttpRequest& request) {
  return request.method == "GET" && request.header("sec-fetch-mode") == "navigate" &&
         request.header("sec-fetch-dest") == "document";
}

std::string cookie_name(int port) { return fmt::format("verbund-{}", port); }

std::string cookie_secret(const HttpRequest& request, int port) {
  const std::string cookies = request.header("cookie"), name = cookie_name(port) + "=";
  for (size_t begin = 0; begin < cookies.size();) {
    const size_t end = std::min(cookies.find(';', begin), cookies.size());
    std::string cookie = cookies.substr(begin, end - begin);
    cookie.erase(0, std::min(cookie.find_first_not_of(' '), cookie.size()));
    if (cookie.starts_with(name)) return cookie.substr(name.size());
    begin = end + 1;
  }
  return "";
}

// The same page without the token in its address, which would otherwise stay in the browser's history.
HttpResponse with_cookie(const HttpRequest& request, const std::string& token, int port) {
  // Never "//host", which would lead elsewhere.
  std::string place =
      "/" + encoded(request.path.substr(std::min(request.path.find_first_not_of('/'), request.path.size())));
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    if (name == "token") continue;
    place += separator + encoded(name) + "=" + encoded(value);
    separator = '&';
  }
  return {.status = 303,
          .type = "text/plain",
          .headers = {{"Location", place},
                      {"Set-Cookie",
                       fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(port), encoded(token))}}};
}

}  // namespace

std::string encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    result += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

bool same_secret(std::string_view given, std::string_view secret) {
  return given.size() == secret.size() && CRYPTO_memcmp(given.data(), secret.data(), secret.size()) == 0;
}

std::string bearer_secret(const HttpRequest& request) {
  const std::string value = request.header("authorization"), scheme = "Bearer ";
  return value.starts_with(scheme) ? value.substr(scheme.size()) : "";
}

std::string allowed_foreign_origin(const HttpRequest& request, const HttpServerConfig& config) {
  const std::string origin = request.header("origin");
  if (origin.empty() || is_own_origin(origin, request.header("host"))) return "";
  return contains(config.origins, origin) ? origin : "";
}

std::optional<HttpResponse> refuse_access(const HttpRequest& request, const HttpServerConfig& config, int port) {
  const std::string host = request.header("host"), origin = request.header("origin");
  if (!is_own_host(host, config))
    return http_error(403, "the Host header is not one of this server's names: add it with --name NAME");
  const bool is_allowed = !allowed_foreign_origin(request, config).empty();
  if (!is_allowed && !origin.empty() && !is_own_origin(origin, host)) {
    return http_error(403, "requests from other sites are refused");
  }
  const std::string site = request.header("sec-fetch-site");
  if (!is_allowed && (site == "cross-site" || site == "same-site") && !is_followed_link(request)) {
    return http_error(403, "requests from other sites are refused");
  }
  if (config.token.empty() || (is_allowed && request.method == "OPTIONS")) return std::nullopt;
  const std::string given = request.query_value("token");
  if (!given.empty() && request.method == "GET" && same_secret(given, config.token)) {
    return with_cookie(request, config.token, port);
  }
  if (same_secret(bearer_secret(request), config.token)) return std::nullopt;
  if (same_secret(cookie_secret(request, port), encoded(config.token))) return std::nullopt;
  HttpResponse refused = http_error(401, "this server needs its token: ?token=TOKEN or Authorization: Bearer TOKEN");
  refused.headers["WWW-Authenticate"] = "Bearer";
  return refused;
}

}  // namespace verbund
