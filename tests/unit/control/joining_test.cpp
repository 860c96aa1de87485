// SPDX-License-Identifier: Apache-2.0
#include "control/joining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <numeric>
#include <string_view>
#include <thread>

#include "unit/control/made_network.h"

namespace verbund {
namespace {

using ::testing::Each;

Heartbeat hello_of(int rank) {
  Heartbeat hello = heartbeat_of(HeartbeatKind::kHello);
  hello.rank = rank;
  return hello;
}

std::span<const std::byte> bytes(const Heartbeat& heartbeat) { return std::as_bytes(std::span(&heartbeat, 1)); }

// All workers but worker 0.
std::vector<size_t> others_of(size_t workers) {
  std::vector<size_t> ranks(workers - 1);
  std::iota(ranks.begin(), ranks.end(), 1);
  return ranks;
}

// Worker 0 listens at both loopbacks, and is called at the one or the other.
class Joining : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const char* text : {"127.0.0.1", "::1"}) {
      uint16_t port = 0;
      Socket listening = listen_at(address(text), port);
      if (listening.is_open() && text == std::string_view(GetParam())) called_ = {{address(text), port}};
      if (listening.is_open()) listening_.push_back(std::move(listening));
    }
    if (called_.empty()) GTEST_SKIP() << "this machine has no " << GetParam();
  }

  Socket call() const { return connect_to(called_[0], 5); }

  // The workers come `late` seconds after worker 0 has begun to listen. Returns which of them have joined.
  std::vector<bool> join(size_t workers, double late = 0) {
    std::vector<std::thread> threads;
    std::vector<Socket> callers(workers);
    for (size_t rank = 1; rank < workers; ++rank) {
      threads.emplace_back([&, rank] {
        std::this_thread::sleep_for(std::chrono::duration<double>(late));
        callers[rank] = call_parent(called_, hello_of(static_cast<int>(rank)), limits_);
      });
    }
    const std::vector<Socket> sockets = await_children(listening_, others_of(workers), hello_of(0), limits_);
    for (std::thread& thread : threads) thread.join();
    std::vector<bool> joined;
    for (size_t rank = 1; rank < workers; ++rank) joined.push_back(talk(callers[rank], sockets[rank - 1]));
    return joined;
  }

  // Does what the one sends reach the other?
  static bool talk(const Socket& one, const Socket& other) {
    Heartbeat received;
    const Heartbeat sent = hello_of(7);
    if (!one.is_open() || !other.is_open() || one.send(bytes(sent)) != sizeof sent) return false;
    return is_readable(other, 5) && other.receive(std::as_writable_bytes(std::span(&received, 1))) == sizeof received &&
           received.rank == 7;
  }

  std::vector<Socket> listening_;
  std::vector<Endpoint> called_;
  JoiningLimits limits_{.address = 2, .hello = 20, .together = 60};
};

TEST_P(Joining, AllComeTogether) { EXPECT_THAT(join(5), Each(true)); }

TEST_P(Joining, OneComesBesideAnAddressWhereNobodyAnswers) {
  limits_.address = 0.2;
  called_.insert(called_.begin(), {address("127.0.0.1"), 1});
  EXPECT_THAT(join(3), Each(true));
}

// Each of them has more time than the whole start would take if they were heard one after the other.
TEST_P(Joining, SilentStrangersDoNotHoldUpAStart) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(call());
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(join(4), Each(true));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15)) << "one stranger's time";
}

TEST_P(Joining, NorDoesOneThatDripsOrTalksRubbish) {
  std::atomic<bool> stop = false;
  std::thread dripper([&] {
    const Heartbeat almost = hello_of(1);  // even if it knew the number
    const Socket socket = call();
    for (size_t i = 0; !stop && i < sizeof almost; ++i) {
      socket.send(bytes(almost).subspan(i, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  std::thread babbler([&] {
    const std::vector<std::byte> rubbish(100000, std::byte{0x5a});
    while (!stop) call().send(rubbish);
  });
  EXPECT_THAT(join(4, 0.3), Each(true));
  stop = true;
  dripper.join();
  babbler.join();
}

// As fast as one can: more in the time of a hello than there is room for.
TEST_P(Joining, NorDoesAFlood) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> flood;
  for (int i = 0; i < 2; ++i) {
    flood.emplace_back([&] {
      std::deque<Socket> held;
      for (int calls = 0; !stop && calls < 100000; ++calls) {
        held.push_back(call());
        if (held.size() > 200) held.pop_front();
      }
    });
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(join(4, 0.2), Each(true));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  stop = true;
  for (std::thread& thread : flood) thread.join();
}

TEST_P(Joining, MoreStrangersThanThereIsRoomForMakeWay) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 200; ++i) strangers.push_back(call());
  EXPECT_THAT(join(4), Each(true));
  // The oldest was sent away.
  std::byte nothing[1];
  EXPECT_TRUE(is_readable(strangers[0], 5));
  EXPECT_EQ(strangers[0].receive(nothing), -1);
}

TEST_P(Joining, WhoDoesNotKnowTheNumberIsSentAwayAtOnce) {
  limits_.together = 60;
  Heartbeat guess = hello_of(1);
  guess.run ^= 1;
  const Socket stranger = call();
  stranger.send(bytes(guess).first(sizeof guess.run));
  std::thread worker([&] {
    EXPECT_TRUE(is_readable(stranger, 30)) << "it is not waited for";
    std::byte nothing[1];
    EXPECT_EQ(stranger.receive(nothing), -1);
    EXPECT_TRUE(call_parent(called_, hello_of(1), limits_).is_open());
  });
  EXPECT_TRUE(await_children(listening_, others_of(2), hello_of(0), limits_)[0].is_open());
  worker.join();
}

TEST_P(Joining, RanksThatThereAreNotAreRefused) {
  std::vector<Socket> strangers;
  for (const int rank : {0, 3, -1, 1 << 30}) {
    strangers.push_back(call());
    const Heartbeat hello = hello_of(rank);
    strangers.back().send(bytes(hello));
  }
  EXPECT_THAT(join(3), Each(true));
}

TEST_P(Joining, ALeaderAdmitsItsChildrenAlone) {
  std::vector<std::thread> callers;
  std::array<bool, 4> joined = {};
  for (const size_t rank : {1, 2, 3}) {
    callers.emplace_back([&, rank] {
      JoiningLimits limits = limits_;
      limits.together = rank == 1 ? 2 : 60;
      limits.hello = 1;
      joined[rank] = call_parent(called_, hello_of(static_cast<int>(rank)), limits).is_open();
    });
  }
  const std::vector<Socket> sockets = await_children(listening_, std::vector<size_t>{2, 3}, hello_of(1), limits_);
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(joined, ::testing::ElementsAre(false, false, true, true)) << "1 is a leader itself";
  EXPECT_EQ(sockets.size(), 2u);
}

TEST_P(Joining, AHelloHasNothingAttached) {
  Heartbeat hello = hello_of(1);
  hello.attached = uint64_t{1} << 40;
  const Socket stranger = call();
  stranger.send(bytes(hello));
  EXPECT_THAT(join(3), Each(true));
  std::byte nothing[1];
  EXPECT_TRUE(is_readable(stranger, 5));
  EXPECT_EQ(stranger.receive(nothing), -1);
}

// As a worker does whose first call was not answered in time.
TEST_P(Joining, OneThatCallsAgainIsNotLost) {
  {
    const Socket given_up = call();
    const Heartbeat hello = hello_of(1);
    given_up.send(bytes(hello));
  }
  EXPECT_THAT(join(3), Each(true));
}

TEST_P(Joining, WhoHasNotComeIsKnown) {
  std::thread worker([&] { call_parent(called_, hello_of(2), limits_); });
  JoiningLimits limits = limits_;
  limits.together = 2;
  const std::vector<Socket> sockets = await_children(listening_, others_of(4), hello_of(0), limits);
  worker.join();
  EXPECT_FALSE(sockets[0].is_open());
  EXPECT_TRUE(sockets[1].is_open());
  EXPECT_FALSE(sockets[2].is_open());
}

TEST_P(Joining, AnAddressWhereAnotherListensIsLeft) {
  limits_.hello = 0.2;
  limits_.address = 0.2;
  limits_.together = 1;
  EXPECT_FALSE(call_parent(called_, hello_of(1), limits_).is_open()) << "nobody says hello";
}

INSTANTIATE_TEST_SUITE_P(, Joining, ::testing::Values("127.0.0.1", "::1"), [](const auto& one) {
  return one.param == std::string_view("::1") ? "OverIPv6" : "OverIPv4";
});

}  // namespace
}  // namespace verbund
