// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "core/error.h"
#include "core/json.h"
#include "core/random.h"
#include "support/http_client.h"

namespace verbund {
namespace {

using namespace std::chrono_literals;

// A server with a few paths, running in a thread.
class RunningServer {
 public:
  explicit RunningServer(const HttpServerConfig& config = {}) : server_(config) {
    server_.on("GET", "/hello", [](const HttpRequest&) { return HttpResponse{.body = "\"hello\""}; });
    server_.on("GET", "/page", [](const HttpRequest&) { return HttpResponse{.type = "text/html", .body = "<p>"}; });
    server_.on("POST", "/echo", [](const HttpRequest& request) {
      return HttpResponse{.type = request.header("content-type"), .body = request.body};
    });
    server_.on("GET", "/files/*", [](const HttpRequest& request) {
      std::string text = request.path;
      for (const auto& [name, value] : request.query) text += "|" + name + "=" + value;
      return HttpResponse{.type = "text/plain", .body = text};
    });
    server_.on("GET", "/wait", [this](const HttpRequest&) {
      ++waiting_;
      released_.wait();
      return HttpResponse{.body = "\"waited\""};
    });
    server_.on("GET", "/fail", [](const HttpRequest&) -> HttpResponse { fail("it did not work"); });
    server_.on("GET", "/large", [](const HttpRequest&) { return HttpResponse{.body = std::string(20 << 20, 'x')}; });
    server_.on("GET", "/stream", [this](const HttpRequest&) {
      return HttpResponse{.type = "text/event-stream", .stream = [this](const SendChunk& send) {
                            send("data: 1\n\n");
                            ++waiting_;
                            released_.wait();
                            send("data: 2\n\n");
                          }};
    });
    port_ = server_.bind();
    thread_ = std::thread([this] { server_.run(); });
  }
  ~RunningServer() { stop(); }

  void release() { release_.set_value(); }
  void await_waiting(int count) const {
    while (waiting_ < count) std::this_thread::sleep_for(1ms);
  }
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  void ask_to_stop() { server_.stop(); }

  int port() const { return port_; }
  ClientReply get(const std::string& target, const std::string& headers = "Host: localhost\r\n") const {
    return HttpClient(port_).ask("GET", target, "", headers);
  }

 private:
  HttpServer server_;
  int port_ = 0;
  std::atomic<int> waiting_ = 0;
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  std::thread thread_;
};

std::string host_of(const std::string& name) { return "Host: " + name + "\r\n"; }

TEST(HttpServer, AnswersByPathAndMethod) {
  RunningServer server;
  EXPECT_EQ(server.get("/hello").body, "\"hello\"");
  EXPECT_EQ(server.get("/hello").headers["content-type"], "application/json");
  EXPECT_EQ(server.get("/files/a%20b/%2e%2e?x=1%262&y").body, "/files/a b/..|x=1&2|y=");
  EXPECT_EQ(server.get("/nothing").status, 404);
  EXPECT_EQ(HttpClient(server.port()).ask("POST", "/hello").status, 405);
  EXPECT_EQ(server.get("/fail").status, 500);
  EXPECT_EQ(parse_json(server.get("/fail").body).at("error"), "it did not work");
}

TEST(HttpServer, KeepsAConnectionForFurtherRequests) {
  RunningServer server;
  HttpClient client(server.port());
  for (int i = 0; i < 20; ++i) {
    const std::string text(static_cast<size_t>(i) * 1000, 'x');
    EXPECT_EQ(client.ask("POST", "/echo", text, "Host: localhost\r\nContent-Type: text/plain\r\n").body, text);
  }
  // Several that come at once are answered in their order.
  client.send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\nGET /files/1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive().body, "\"hello\"");
  EXPECT_EQ(client.receive().body, "/files/1");
  // One that asks to close is closed.
  EXPECT_EQ(client.ask("GET", "/hello", "", "Host: localhost\r\nConnection: close\r\n").status, 200);
  EXPECT_EQ(client.receive().status, 0);
}

TEST(HttpServer, SaysHowAPageMayBeUsed) {
  RunningServer server;
  ClientReply page = server.get("/page");
  EXPECT_EQ(page.headers["x-content-type-options"], "nosniff");
  EXPECT_EQ(page.headers["referrer-policy"], "no-referrer");
  EXPECT_TRUE(page.headers["content-security-policy"].starts_with("default-src 'none'; script-src 'self';"));
  EXPECT_FALSE(server.get("/hello").headers.contains("content-security-policy"));
  EXPECT_EQ(server.get("/nothing").headers["x-content-type-options"], "nosniff");
}

TEST(HttpServer, AnswersOnlyForItsOwnNames) {
  RunningServer server({.names = {"translate.example.org"}});
  for (const char* host : {"localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "127.0.0.2",
                           "translate.example.org", "translate.example.org:443"}) {
    EXPECT_EQ(server.get("/hello", host_of(host)).status, 200) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "evil.example:8000", "10.0.0.1", "[fd00::1]",
                           "127.0.0.1.evil.example", "translate.example.org.evil.example", "[", "localhost@evil"}) {
    EXPECT_EQ(server.get("/hello", host_of(host)).status, 403) << host;
  }
  EXPECT_EQ(server.get("/hello", "").status, 403) << "no Host at all";
}

TEST(HttpServer, RefusesPagesOfOtherSites) {
  RunningServer server({.origins = {"https://friend.example"}});
  const std::string host = host_of("localhost:8000");
  EXPECT_EQ(server.get("/hello", host + "Origin: http://localhost:8000\r\n").status, 200);
  for (const char* origin : {"http://evil.example", "null", "http://localhost:9000", "http://localhost", "file://"}) {
    EXPECT_EQ(server.get("/hello", host + "Origin: " + origin + "\r\n").status, 403) << origin;
  }
  EXPECT_EQ(server.get("/hello", host + "Sec-Fetch-Site: same-origin\r\n").status, 200);
  EXPECT_EQ(server.get("/hello", host + "Sec-Fetch-Site: none\r\n").status, 200);
  EXPECT_EQ(server.get("/hello", host + "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(server.get("/hello", host + "Sec-Fetch-Site: same-site\r\n").status, 403);
  // A link that the user follows is fine, a frame is not.
  const std::string link = host + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
  EXPECT_EQ(server.get("/hello", link + "Sec-Fetch-Dest: document\r\n").status, 200);
  EXPECT_EQ(server.get("/hello", link + "Sec-Fetch-Dest: iframe\r\n").status, 403);
  // A friend may ask, and may read the answer; nobody else may.
  const std::string friendly = host + "Origin: https://friend.example\r\nSec-Fetch-Site: cross-site\r\n";
  ClientReply allowed = server.get("/hello", friendly);
  EXPECT_EQ(allowed.status, 200);
  EXPECT_EQ(allowed.headers["access-control-allow-origin"], "https://friend.example");
  ClientReply preflight = HttpClient(server.port()).ask("OPTIONS", "/echo", "", friendly);
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.headers["access-control-allow-methods"], "GET, POST");
  EXPECT_FALSE(server.get("/hello", host).headers.contains("access-control-allow-origin"));
}

TEST(HttpServer, WantsItsToken) {
  RunningServer server({.token = "s3cret token/%"});
  const std::string host = host_of("localhost");
  EXPECT_EQ(server.get("/hello").status, 401);
  EXPECT_EQ(server.get("/nothing").status, 401) << "a stranger does not learn which paths exist";
  EXPECT_EQ(server.get("/hello", host + "Authorization: Bearer s3cret token/%\r\n").status, 200);
  for (const char* wrong : {"Bearer s3cret token/", "Bearer s3cret token/%x", "Bearer", "Bearer ", "s3cret token/%",
                            "Basic s3cret token/%", "Bearer S3cret token/%"}) {
    EXPECT_EQ(server.get("/hello", host + "Authorization: " + wrong + "\r\n").status, 401) << wrong;
  }
  EXPECT_EQ(server.get("/hello?token=wrong").status, 401);

  // A browser is given a cookie, and an address without the token.
  ClientReply redirect = server.get("/files/a%20b?x=1&token=s3cret%20token%2F%25&y=%26");
  EXPECT_EQ(redirect.status, 303);
  EXPECT_EQ(redirect.headers["location"], "/files/a%20b?x=1&y=%26");
  const std::string cookie = redirect.headers["set-cookie"];
  EXPECT_NE(cookie.find("; HttpOnly; SameSite=Strict"), std::string::npos);
  const std::string pair = cookie.substr(0, cookie.find(';'));
  EXPECT_EQ(server.get("/hello", host + "Cookie: a=b; " + pair + "; c=d\r\n").status, 200);
  EXPECT_EQ(server.get("/hello", host + "Cookie: " + pair + "x\r\n").status, 401);
  EXPECT_EQ(server.get("/hello", host + "Cookie: x" + pair + "\r\n").status, 401);
  // It never leads elsewhere.
  EXPECT_EQ(server.get("//evil.example/?token=s3cret%20token%2F%25").headers["location"], "/evil.example/");
}

TEST(HttpServer, RefusesWhatIsTooLarge) {
  RunningServer server({.max_head = 4000, .max_body = 1000});
  EXPECT_EQ(HttpClient(server.port()).ask("POST", "/echo", std::string(1000, 'x')).status, 200);
  EXPECT_EQ(HttpClient(server.port()).ask("POST", "/echo", std::string(1001, 'x')).status, 413);
  EXPECT_EQ(HttpClient(server.port()).ask("POST", "/echo", std::string(5 << 20, 'x')).status, 413)
      << "the answer arrives although the client still sends";
  EXPECT_EQ(server.get("/hello", host_of("localhost") + "A: " + std::string(4000, 'x') + "\r\n").status, 431);
  HttpClient endless(server.port());
  endless.send(std::string(5 << 20, 'x'));
  EXPECT_EQ(endless.receive().status, 431);
}

TEST(HttpServer, TellsAClientToContinue) {
  RunningServer server;
  HttpClient client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.next_line(), "HTTP/1.1 100 Continue\r\n");
  client.next_line();
  client.send("abc");
  EXPECT_EQ(client.receive().body, "abc");
}

TEST(HttpServer, SlowClientsHoldUpNobody) {
  RunningServer server({.max_connections = 40, .threads = 2, .request_seconds = 0.5, .idle_seconds = 0.5});
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 200; ++i) {  // silent ones, and some that send a bit: far more than connections
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    if (i % 2 == 0) slow.back()->send("GET /hello HTTP/1.1\r\nHos");
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(server.get("/hello").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  // One that drips a byte now and then is told so at the deadline, which its bytes do not move.
  HttpClient dripping(server.port());
  std::thread drip([&] {
    for (int i = 0; i < 20 && dripping.send("G"); ++i) std::this_thread::sleep_for(100ms);
  });
  EXPECT_EQ(dripping.receive().status, 408);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  drip.join();
}

TEST(HttpServer, ClientsThatDoNotReadHoldUpNobody) {
  RunningServer server({.threads = 2, .send_seconds = 1});
  std::vector<std::unique_ptr<HttpClient>> deaf;
  for (int i = 0; i < 8; ++i) {
    deaf.push_back(std::make_unique<HttpClient>(server.port()));
    deaf.back()->send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(server.get("/hello").status, 200);
  EXPECT_EQ(server.get("/large").body.size(), 20U << 20) << "one that reads gets all of it";
}

TEST(HttpServer, AnswersWhatItHasTakenWhenItStops) {
  RunningServer server({.threads = 4});
  std::vector<std::future<ClientReply>> replies;
  for (int i = 0; i < 12; ++i) {  // more than threads: some wait
    replies.push_back(std::async(std::launch::async, [&] { return server.get("/wait"); }));
  }
  server.await_waiting(4);
  std::this_thread::sleep_for(100ms);  // so that all have arrived
  HttpClient half(server.port());
  half.send("GET /hello HTTP/1.1\r\n");
  server.ask_to_stop();
  EXPECT_EQ(half.receive().status, 0) << "half a request is not taken";
  server.release();
  for (auto& reply : replies) {
    ClientReply got = reply.get();
    EXPECT_EQ(got.body, "\"waited\"");
  }
  server.stop();
  EXPECT_FALSE(HttpClient(server.port()).is_open());
}

TEST(HttpServer, StreamsChunksAsTheyAreMade) {
  RunningServer server({.threads = 4});
  HttpClient client(server.port());
  client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string line;
  while ((line = client.next_line()).find("data: ") == std::string::npos) ASSERT_FALSE(line.empty());
  EXPECT_EQ(line, "data: 1\n") << "the first part comes before the second is made";
  // Streams take half of the threads at most; others are still answered.
  HttpClient second(server.port());
  second.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  server.await_waiting(2);
  EXPECT_EQ(server.get("/stream").status, 503);
  EXPECT_EQ(server.get("/hello").status, 200);
  server.release();
  while ((line = client.next_line()).find("data: ") == std::string::npos) ASSERT_FALSE(line.empty());
  EXPECT_EQ(line, "data: 2\n");
  const ClientReply whole = second.receive();
  EXPECT_EQ(whole.body, "data: 1\n\ndata: 2\n\n");
  EXPECT_EQ(server.get("/stream").body, whole.body) << "their places are free again";
}

TEST(HttpServer, SaysThatAPortIsInUse) {
  HttpServer first({});
  const int port = first.bind();
  EXPECT_EQ(first.url(), "http://127.0.0.1:" + std::to_string(port));
  HttpServer second({.port = port});
  EXPECT_THROW(second.bind(), Error);
  HttpServer elsewhere({.host = "192.0.2.1"});
  EXPECT_THROW(elsewhere.bind(), Error);
  HttpServer nowhere({.host = "no such host"});
  EXPECT_THROW(nowhere.bind(), UsageError);
}

TEST(HttpServer, BearsAnyBytes) {
  RunningServer server({.token = "abc", .request_seconds = 0.2});
  const std::string whole =
      "GET /files/a%20b?x=%41&y=2&token=abc HTTP/1.1\r\nHost: localhost:80\r\nOrigin: http://localhost:80\r\n"
      "Cookie: a=b; verbund-80=abc\r\nRange: bytes=0-1\r\nAccept-Encoding: gzip, br\r\nAuthorization: Bearer "
      "abc\r\n\r\n";
  for (uint64_t i = 0; i < 10000; ++i) {
    Random random(8, i);
    std::string bytes = whole;
    for (uint64_t changes = 1 + random.below(5); changes > 0; --changes) {
      const size_t at = random.below(bytes.size());
      if (random.below(3) == 0) {
        bytes.insert(at, whole.substr(random.below(whole.size()), random.below(60)));
      } else {
        bytes[at] = static_cast<char>(random.below(256));
      }
    }
    HttpClient client(server.port());
    client.send(bytes);
    client.end_sending();
    client.receive();
  }
  EXPECT_EQ(server.get("/hello", "Host: localhost\r\nAuthorization: Bearer abc\r\n").status, 200);
}

}  // namespace
}  // namespace verbund
