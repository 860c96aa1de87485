// SPDX-License-Identifier: Apache-2.0
#include "fetch/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/random.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr DownloadOptions kImpatient = {
    .attempts = 3, .first_delay = 0.01, .longest_delay = 0.02, .connect_timeout = 2, .stall_timeout = 1};

std::string random_bytes(size_t size) {
  Random random(3, 0);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random.next());
  return bytes;
}

class Download : public ::testing::Test {
 protected:
  void get(const HttpServer& server, uint64_t size = 0) {
    download({server.url("/x.tgz"), path_, size, "the manifest of test"}, kImpatient);
  }

  // A reply that ends too early, after this many bytes of the range.
  HttpReply broken(const HttpRequest& request, size_t bytes) {
    HttpReply reply = serve_file(request, content_);
    reply.break_after = bytes;
    return reply;
  }

  // The same in a process of its own, which can be stopped.
  pid_t fork_download(const HttpServer& server) {
    const pid_t child = fork();
    if (child != 0) return child;
    install_signal_handlers();
    try {
      download({server.url("/x.tgz"), path_, 0, ""});
      _exit(0);
    } catch (const Error& error) {
      _exit(error.exit_code());
    }
  }

  static void wait_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // The exit code, or the negative signal that killed it.
  static int stop(pid_t child, int signal) {
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  void expect_whole_and_tidy() {
    EXPECT_TRUE(read_file(path_) == content_);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
  }

  const std::string content_ = random_bytes(1'000'003);
  TemporaryFolder folder_;
  const fs::path path_ = folder_ / "x.tgz", partial_ = folder_ / "x.tgz.download";
};

TEST_F(Download, BringsAFile) {
  const HttpServer server([&](const HttpRequest& request, int) { return serve_file(request, content_); });
  get(server, content_.size());
  expect_whole_and_tidy();
  ASSERT_EQ(server.requests().size(), 1);
  EXPECT_EQ(server.requests()[0].path, "/x.tgz");
  EXPECT_EQ(server.requests()[0].header("range"), "");
}

TEST_F(Download, BringsAnEmptyFileAndOneOfUnknownLength) {
  const HttpServer empty([](const HttpRequest&, int) { return HttpReply{}; });
  get(empty);
  EXPECT_EQ(read_file(path_), "");
  const HttpServer unknown([&](const HttpRequest&, int) { return HttpReply{.body = content_, .length = false}; });
  get(unknown);
  expect_whole_and_tidy();
}

TEST_F(Download, CopiesALocalFile) {
  const TemporaryFolder other;
  write_file(other / "y", content_);
  download({"file://" + (other / "y").string(), path_, content_.size(), ""}, kImpatient);
  expect_whole_and_tidy();
  EXPECT_THAT(
      [&] {
        download({"file:///nowhere/y", path_, 0, ""}, kImpatient);
      },
      ThrowsMessage<Error>(HasSubstr("file:///nowhere/y")));
}

TEST_F(Download, FollowsRedirections) {
  const HttpServer server([&](const HttpRequest& request, int) {
    if (request.path == "/x.tgz") return HttpReply{.status = 301, .headers = {{"Location", "/moved"}}};
    return serve_file(request, content_);
  });
  get(server);
  expect_whole_and_tidy();
}

TEST_F(Download, GoesOnAfterABrokenTransferAndFetchesOnlyTheRest) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    return number < 2 ? broken(request, 300'000) : serve_file(request, content_);
  });
  get(server, content_.size());
  expect_whole_and_tidy();
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3);
  EXPECT_EQ(requests[1].header("range"), "bytes=300000-");
  EXPECT_EQ(requests[1].header("if-range"), "\"v1\"");
  EXPECT_EQ(requests[2].header("range"), "bytes=600000-");
}

// Attempts that bring something do not count against the limit of three.
TEST_F(Download, DoesNotTireWhileBytesArrive) {
  const HttpServer server([&](const HttpRequest& request, int) { return broken(request, 100'000); });
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests().size(), 11);
}

TEST_F(Download, KeepsThePartForTheNextRun) {
  std::atomic<bool> out_of_order = true;
  const HttpServer server([&](const HttpRequest& request, int number) {
    if (!out_of_order) return serve_file(request, content_);
    return number == 0 ? broken(request, 400'000) : HttpReply{.status = 503};
  });
  EXPECT_THAT([&] { get(server); },
              ThrowsMessage<Error>(AllOf(HasSubstr(server.url("/x.tgz")), HasSubstr("503"), HasSubstr("3 attempts"),
                                         HasSubstr("400 kB of 1.0 MB"), HasSubstr(path_.string()))));
  EXPECT_EQ(server.requests().size(), 3);
  EXPECT_EQ(fs::file_size(partial_), 400'000);
  EXPECT_FALSE(fs::exists(path_));

  out_of_order = false;
  get(server);
  expect_whole_and_tidy();
  ASSERT_EQ(server.requests().size(), 4);
  EXPECT_EQ(server.requests()[3].header("range"), "bytes=400000-");
}

TEST_F(Download, DropsThePartOfAnotherUrl) {
  write_file(partial_, "of another file");
  write_file(partial_.string() + ".json", R"({"url": "http://x/y", "version": "\"v1\"", "size": 1000003})");
  const HttpServer server([&](const HttpRequest& request, int) { return serve_file(request, content_); });
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests()[0].header("range"), "");
}

// Killed, or asked to stop, in the middle of a transfer: the next run asks for the rest.
class DownloadStopped : public Download, public ::testing::WithParamInterface<int> {};

TEST_P(DownloadStopped, GoesOnInTheNextRun) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    HttpReply reply = serve_file(request, content_);
    if (number == 0) reply.break_after = 500'000, reply.stall = true;
    return reply;
  });
  const pid_t child = fork_download(server);
  wait_until([&] {
    std::error_code error;
    return fs::file_size(partial_, error) == 500'000 && !error;
  });
  EXPECT_EQ(stop(child, GetParam()), GetParam() == SIGINT ? 128 + SIGINT : -SIGKILL);
  EXPECT_EQ(fs::file_size(partial_), 500'000);

  get(server);
  expect_whole_and_tidy();
  ASSERT_EQ(server.requests().size(), 2);
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=500000-");
}

INSTANTIATE_TEST_SUITE_P(BySignal, DownloadStopped, ::testing::Values(SIGINT, SIGKILL),
                         [](const auto& signal) { return signal.param == SIGINT ? "INT" : "KILL"; });

TEST_F(Download, CanBeStoppedBeforeTheFirstByte) {
  const HttpServer server(
      [](const HttpRequest&, int) { return HttpReply{.body = "x", .break_after = 0, .stall = true}; });
  const pid_t child = fork_download(server);
  wait_until([&] { return server.requests().size() == 1; });
  EXPECT_EQ(stop(child, SIGINT), 128 + SIGINT);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Download, StartsAnewWhereTheServerIgnoresRanges) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    HttpReply reply = serve_file({request.path, {}}, content_);
    if (number == 0) reply.break_after = 300'000;
    return reply;
  });
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=300000-");
}

TEST_F(Download, StartsAnewWhereTheFileHasChanged) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    HttpReply reply =
        serve_file(request, number == 0 ? std::string(1'000'003, 'o') : content_, number == 0 ? "\"old\"" : "\"new\"");
    if (number == 0) reply.break_after = 300'000;
    return reply;
  });
  get(server);
  expect_whole_and_tidy();
}

TEST_F(Download, StartsAnewWhereNothingTellsTheVersion) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    HttpReply reply = serve_file(request, content_);
    reply.headers["ETag"] = "W/\"weak\"";
    if (number == 0) reply.break_after = 300'000;
    return reply;
  });
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests()[1].header("range"), "");
}

TEST_F(Download, GoesOnByTheTimeOfTheFileWhereThereIsNoTag) {
  const std::string time = "Wed, 21 Oct 2015 07:28:00 GMT";
  const HttpServer server([&](const HttpRequest& request, int number) {
    HttpReply reply = serve_file(request, content_, time);
    reply.headers = {{"Last-Modified", time}, {"Content-Range", reply.headers["Content-Range"]}};
    if (number == 0) reply.break_after = 300'000;
    return reply;
  });
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests()[1].header("if-range"), time);
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=300000-");
}

// The length was never said, all bytes are here, and the connection breaks: 416 tells it.
TEST_F(Download, UnderstandsThatNothingIsLeft) {
  write_file(partial_, content_);
  const HttpServer server([&](const HttpRequest& request, int) { return serve_file(request, content_); });
  write_file(partial_.string() + ".json",
             R"({"url": ")" + server.url("/x.tgz") + R"(", "version": "\"v1\"", "size": 0})");
  get(server);
  expect_whole_and_tidy();
  ASSERT_EQ(server.requests().size(), 1);
  EXPECT_EQ(server.requests()[0].header("range"), "bytes=1000003-");
}

TEST_F(Download, StartsAnewWhereThePartIsLongerThanTheFile) {
  write_file(partial_, content_ + "more");
  const HttpServer server([&](const HttpRequest& request, int) { return serve_file(request, content_); });
  write_file(partial_.string() + ".json",
             R"({"url": ")" + server.url("/x.tgz") + R"(", "version": "\"v1\"", "size": 0})");
  get(server);
  expect_whole_and_tidy();
}

TEST_F(Download, NeedsNoServerForAPartThatIsComplete) {
  write_file(partial_, content_);
  write_file(partial_.string() + ".json", R"({"url": "http://127.0.0.1:1/x", "version": "\"v1\"", "size": 1000003})");
  download({"http://127.0.0.1:1/x", path_, 0, ""}, kImpatient);
  expect_whole_and_tidy();
}

TEST_F(Download, AsksAgainWhereTheServerSendsTheWrongPart) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    if (number == 0) return broken(request, 300'000);
    HttpReply reply = serve_file(request, content_);
    if (number == 1) {
      reply.headers["Content-Range"] = "bytes 5-1000002/1000003";
      reply.body = content_.substr(5);
    }
    return reply;
  });
  get(server);
  expect_whole_and_tidy();
}

TEST_F(Download, TriesAgainWhereTheServerIsBusy) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    return number < 2 ? HttpReply{.status = 503, .body = "come back later"} : serve_file(request, content_);
  });
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests().size(), 3);
}

TEST_F(Download, NoticesATransferThatStalls) {
  const HttpServer server([&](const HttpRequest& request, int number) {
    HttpReply reply = serve_file(request, content_);
    if (number == 0) reply.break_after = 300, reply.stall = true;
    return reply;
  });
  const auto start = std::chrono::steady_clock::now();
  get(server);
  expect_whole_and_tidy();
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=300-");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
}

TEST_F(Download, FailsAtOnceWhereThereIsNoSuchFile) {
  const HttpServer server([](const HttpRequest&, int) { return HttpReply{.status = 404, .body = "not here"}; });
  EXPECT_THAT([&] { get(server); },
              ThrowsMessage<Error>(AllOf(HasSubstr(server.url("/x.tgz")), HasSubstr("404"),
                                         HasSubstr("the manifest of test"), HasSubstr(path_.string()))));
  EXPECT_EQ(server.requests().size(), 1);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Download, FailsWhereNobodyListens) {
  int port = 0;
  {
    const HttpServer server([](const HttpRequest&, int) { return HttpReply{}; });
    port = std::stoi(server.url("").substr(std::string("http://127.0.0.1:").size()));
  }
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/x";
  EXPECT_THAT(
      [&] {
        download({url, path_, 0, ""}, kImpatient);
      },
      ThrowsMessage<Error>(AllOf(HasSubstr(url), HasSubstr("3 attempts"))));
}

TEST_F(Download, RefusesOtherProtocols) {
  EXPECT_THAT(
      [&] {
        download({"ftp://127.0.0.1/x", path_, 0, ""}, kImpatient);
      },
      ThrowsMessage<Error>(HasSubstr("ftp://127.0.0.1/x")));
}

TEST_F(Download, SaysTheWrongSizeBeforeItDownloads) {
  const HttpServer server([&](const HttpRequest& request, int) { return serve_file(request, content_); });
  EXPECT_THAT([&] { get(server, 999); }, ThrowsMessage<Error>(AllOf(HasSubstr("1000003"), HasSubstr("999"))));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Download, SetsAsideAFileThatIsTooShort) {
  const HttpServer server([&](const HttpRequest&, int) { return HttpReply{.body = "short", .length = false}; });
  EXPECT_THAT([&] { get(server, 999); },
              ThrowsMessage<Error>(AllOf(HasSubstr("5 bytes"), HasSubstr("999"), HasSubstr("x.tgz.bad"))));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(fs::exists(folder_ / "x.tgz.bad"));
}

// The server has a thousand times as much as it should, and does not say so.
TEST_F(Download, StopsWhereTheFileShouldEnd) {
  const HttpServer server([&](const HttpRequest&, int) {
    return HttpReply{.headers = {{"ETag", "\"v1\""}}, .body = content_, .length = false};
  });
  EXPECT_THAT([&] { get(server, 1000); },
              ThrowsMessage<Error>(AllOf(HasSubstr(server.url("/x.tgz")), HasSubstr("1000"))));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Download, RefusesDevicesAndPipes) {
  for (const char* url : {"file:///dev/zero", "FILE:///dev/%7aero", "file://localhost/dev"}) {
    EXPECT_THAT([&] { download({url, path_, 0, ""}, kImpatient); }, ThrowsMessage<Error>(HasSubstr(url)));
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// A disk of 256 kB.
class SmallDisk : public Download {
 protected:
  void SetUp() override {
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
      GTEST_SKIP() << "needs the right to mount a tmpfs";
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount(folder_.path().c_str());
  }
  bool mounted_ = false;
};

TEST_F(SmallDisk, IsNotEvenTriedWhereTheSizeIsKnown) {
  const HttpServer server([&](const HttpRequest& request, int) { return serve_file(request, content_); });
  EXPECT_THAT([&] { get(server); },
              ThrowsMessage<Error>(AllOf(HasSubstr("1.0 MB"), HasSubstr(folder_.path().string()))));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(SmallDisk, IsNotFilledWhereTheSizeIsUnknown) {
  const HttpServer server([&](const HttpRequest&, int) { return HttpReply{.body = content_, .length = false}; });
  EXPECT_THAT([&] { get(server); },
              ThrowsMessage<Error>(AllOf(HasSubstr(server.url("/x.tgz")), HasSubstr(folder_.path().string()))));
  EXPECT_EQ(server.requests().size(), 1);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace verbund
