// SPDX-License-Identifier: Apache-2.0
#include "http/request_reader.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace verbund {
namespace {

constexpr size_t kHead = 1000, kBody = 100;

int refusal_of(const std::string& bytes) {
  RequestReader reader(kHead, kBody);
  reader.add(bytes);
  return reader.refusal();
}

std::string with_header(const std::string& header) { return "POST / HTTP/1.1\r\nHost: a\r\n" + header + "\r\n\r\n"; }

TEST(RequestReader, CutsBytesIntoRequestsWhereverTheyAreDivided) {
  const std::string both =
      "POST /a?b=c HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\nX-A:  1 \r\nx-a: 2\r\n\r\nhello"
      "GET /next HTTP/1.1\r\nHost: here\r\n\r\n";
  for (size_t cut = 0; cut <= both.size(); ++cut) {
    RequestReader reader(kHead, kBody);
    reader.add(both.substr(0, cut));
    reader.add(both.substr(cut));
    ASSERT_TRUE(reader.is_complete()) << cut;
    const ReceivedRequest first = reader.take();
    EXPECT_EQ(first.line, "POST /a?b=c HTTP/1.1");
    EXPECT_EQ(first.headers.at("host"), "here");
    EXPECT_EQ(first.headers.at("x-a"), "1, 2");
    EXPECT_EQ(first.body, "hello");
    ASSERT_TRUE(reader.is_complete()) << cut;
    EXPECT_EQ(reader.take().line, "GET /next HTTP/1.1");
    EXPECT_TRUE(reader.is_untouched());
  }
}

TEST(RequestReader, IsIncompleteUntilTheLastByte) {
  RequestReader reader(kHead, kBody);
  EXPECT_TRUE(reader.is_untouched());
  reader.add("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r");
  EXPECT_FALSE(reader.is_complete() || reader.wants_continue());
  reader.add("\n1");
  EXPECT_FALSE(reader.is_complete());
  EXPECT_TRUE(reader.wants_continue());
  EXPECT_FALSE(reader.wants_continue()) << "it is told once";
  reader.add("2");
  EXPECT_TRUE(reader.is_complete());
}

TEST(RequestReader, AFewLineEndsMayComeFirst) {
  EXPECT_EQ(refusal_of("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
  RequestReader reader(kHead, kBody);
  for (int i = 0; i < 3; ++i) reader.add("\r\n\r\n");
  EXPECT_EQ(reader.refusal(), 400);
}

TEST(RequestReader, RefusesWhatIsTooLong) {
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nA: " + std::string(kHead, 'x')), 431);
  EXPECT_EQ(refusal_of(with_header("A: " + std::string(kHead, 'x'))), 431);
  EXPECT_EQ(refusal_of(std::string(kHead + 1, 'x')), 431);
  EXPECT_EQ(refusal_of(with_header("Content-Length: 101")), 413);
  EXPECT_EQ(refusal_of(with_header("Content-Length: 100")), 0);
  EXPECT_EQ(refusal_of(with_header("Content-Length: 99999999999999999999999999")), 413);
  RequestReader reader(1 << 20, kBody);
  std::string many;
  for (int i = 0; i < 101; ++i) many += "a" + std::to_string(i) + ": b\r\n";
  reader.add("GET / HTTP/1.1\r\n" + many + "\r\n");
  EXPECT_EQ(reader.refusal(), 431);
  RequestReader long_target(1 << 20, kBody);
  long_target.add("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n");
  EXPECT_EQ(long_target.refusal(), 414);
}

TEST(RequestReader, RefusesWhatReadersCouldUnderstandDifferently) {
  EXPECT_EQ(refusal_of(with_header("Content-Length: 1\r\nContent-Length: 2")), 400);
  EXPECT_EQ(refusal_of(with_header("Content-Length: +1")), 400);
  EXPECT_EQ(refusal_of(with_header("Content-Length: 1, 1")), 400);
  EXPECT_EQ(refusal_of(with_header("Content-Length: -1")), 400);
  EXPECT_EQ(refusal_of(with_header("Content-Length:")), 400);
  EXPECT_EQ(refusal_of(with_header("Transfer-Encoding: chunked")), 411);
  EXPECT_EQ(refusal_of(with_header("Content-Encoding: gzip")), 415);
  EXPECT_EQ(refusal_of(with_header("Host: b")), 400);
  EXPECT_EQ(refusal_of(with_header(" folded: line")), 400);
  EXPECT_EQ(refusal_of(with_header("Name : value")), 400);
  EXPECT_EQ(refusal_of(with_header("no colon")), 400);
  EXPECT_EQ(refusal_of(with_header(": no name")), 400);
  EXPECT_EQ(refusal_of(with_header("A: b\nC: d")), 400);
  EXPECT_EQ(refusal_of(with_header(std::string("A: b\0c", 6))), 400);
  for (const char* line : {"GET /", "GET  / HTTP/1.1", "/ HTTP/1.1", "GET / HTTP/1.1 x", "G@T / HTTP/1.1",
                           "GET http://elsewhere/ HTTP/1.1", "GET / FTP/1.1"}) {
    EXPECT_EQ(refusal_of(std::string(line) + "\r\n\r\n"), 400) << line;
  }
  EXPECT_EQ(refusal_of("GET / HTTP/2.0\r\n\r\n"), 505);
}

TEST(RequestReader, BearsAnyBytes) {
  const std::string whole =
      "POST /a HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhelloGET / HTTP/1.1\r\n\r\n";
  for (uint64_t i = 0; i < 10000; ++i) {
    Random random(7, i);
    std::string bytes = whole;
    for (uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const size_t at = random.below(bytes.size());
      if (random.below(3) == 0) {
        bytes.erase(at, random.below(6));
      } else if (random.below(2) == 0) {
        bytes.insert(at, whole.substr(random.below(whole.size()), random.below(20)));
      } else {
        bytes[at] = static_cast<char>(random.below(256));
      }
      if (bytes.empty()) bytes = "x";
    }
    RequestReader reader(kHead, kBody);
    for (size_t begin = 0; begin < bytes.size();) {
      const size_t size = 1 + random.below(40);
      reader.add(std::string_view(bytes).substr(begin, size));
      begin += size;
      reader.wants_continue();
    }
    for (int requests = 0; reader.is_complete(); ++requests) {
      ASSERT_LT(requests, 100);
      const ReceivedRequest request = reader.take();
      EXPECT_LE(request.body.size(), kBody);
      EXPECT_NE(request.line.find(" HTTP/1."), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace verbund
