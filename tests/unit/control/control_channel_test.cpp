// SPDX-License-Identifier: Apache-2.0
// One real ControlChannel at a time; its neighbours are played by the test.
#include "control/control_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <map>

#include "unit/control/made_network.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Heartbeat frame_of(HeartbeatKind kind, int rank, int64_t to, int64_t step = 0) {
  Heartbeat heartbeat = heartbeat_of(kind, step);
  heartbeat.rank = rank;
  heartbeat.to = to;
  return heartbeat;
}

// The other end of a connection.
struct Neighbour {
  Socket socket;
  HeartbeatWriter outgoing;
  HeartbeatReader incoming{kRun};

  void send(const Heartbeat& heartbeat, size_t attached = 0) {
    outgoing.add(heartbeat, std::vector<std::byte>(attached));
    outgoing.send(socket);
  }

  // The steps of what has arrived, by whom each tells of.
  std::vector<std::pair<int, int64_t>> read() {
    std::vector<std::pair<int, int64_t>> heard;
    while (incoming.read(socket) == Heard::kHeartbeat) {
      heard.emplace_back(incoming.heartbeat().rank, incoming.heartbeat().step);
    }
    return heard;
  }
};

using Pair = std::pair<int, int64_t>;

// Workers 0 and 1 on a, 2, 3 and 4 on b.
class ControlChannelTest : public ::testing::Test {
 protected:
  void make(size_t rank) {
    ControlSockets sockets{kRun, rank, ControlTree(workers_on({"a", "a", "b", "b", "b"})), {}};
    sockets.by_rank.resize(5);
    neighbours_.clear();
    for (size_t other = 0; other < 5; ++other) {
      if (other == rank || (sockets.tree.parent(other) != rank && sockets.tree.parent(rank) != other)) continue;
      int ends[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
      sockets.by_rank[other] = Socket(ends[0]);
      neighbours_[other].socket = Socket(ends[1]);
    }
    channel_.emplace(std::move(sockets));
  }

  void listen(int times = 1) {
    for (int i = 0; i < times; ++i) {
      channel_->listen([&](size_t rank, Heard heard, const Heartbeat& heartbeat, std::span<const std::byte>) {
        if (heard == Heard::kHeartbeat) heard_.emplace_back(heartbeat.rank, heartbeat.step);
        if (heard == Heard::kMalformed) malformed_.push_back(rank);
        if (heard == Heard::kGone) gone_.push_back(rank);
      });
    }
  }

  std::map<size_t, Neighbour> neighbours_;
  std::optional<ControlChannel> channel_;
  std::vector<Pair> heard_;
  std::vector<size_t> malformed_, gone_;
};

TEST_F(ControlChannelTest, ALeaderPassesOnWhatIsNotForIt) {
  make(2);
  neighbours_[3].send(frame_of(HeartbeatKind::kMessage, 3, 0, 30), 100);
  neighbours_[4].send(frame_of(HeartbeatKind::kPing, 4, 0, 40));
  listen();
  EXPECT_THAT(neighbours_[0].read(), UnorderedElementsAre(Pair(3, 30), Pair(4, 40)));
  EXPECT_THAT(heard_, UnorderedElementsAre(Pair(3, 30), Pair(4, 40))) << "and knows what has passed";

  neighbours_[0].send(frame_of(HeartbeatKind::kAnswer, 0, 4, 1));
  neighbours_[0].send(frame_of(HeartbeatKind::kAlive, 0, kToAll, 2));
  neighbours_[0].send(frame_of(HeartbeatKind::kAnswer, 0, 2, 3));
  listen();
  EXPECT_THAT(neighbours_[3].read(), ElementsAre(Pair(0, 2)));
  EXPECT_THAT(neighbours_[4].read(), ElementsAre(Pair(0, 1), Pair(0, 2)));
  EXPECT_THAT(malformed_, IsEmpty());
}

TEST_F(ControlChannelTest, SignsOfLifeOfChildrenWaitForTheLeadersOwn) {
  make(2);
  neighbours_[3].send(frame_of(HeartbeatKind::kAlive, 3, 0, 30));
  listen();
  EXPECT_THAT(neighbours_[0].read(), IsEmpty());
  channel_->send_all(frame_of(HeartbeatKind::kAlive, 2, 0, 20));
  EXPECT_THAT(neighbours_[0].read(), ElementsAre(Pair(3, 30), Pair(2, 20)));
  EXPECT_THAT(neighbours_[4].read(), ElementsAre(Pair(2, 20)));

  neighbours_[3].send(frame_of(HeartbeatKind::kAlive, 3, 0, 31));
  neighbours_[3].send(frame_of(HeartbeatKind::kPing, 3, 0, 32));
  listen();
  EXPECT_THAT(neighbours_[0].read(), ElementsAre(Pair(3, 31), Pair(3, 32))) << "all else does not wait";
}

TEST_F(ControlChannelTest, WhoeverSpeaksForAnotherIsMalformed) {
  struct Case {
    size_t at, from;
    Heartbeat heartbeat;
  };
  const std::vector<Case> cases = {
      {2, 3, frame_of(HeartbeatKind::kAlive, 4, 0)},    {2, 3, frame_of(HeartbeatKind::kAlive, 2, 0)},
      {2, 3, frame_of(HeartbeatKind::kEnd, 0, 0)},      {2, 3, frame_of(HeartbeatKind::kAlive, -1, 0)},
      {2, 3, frame_of(HeartbeatKind::kAlive, 5, 0)},    {2, 3, frame_of(HeartbeatKind::kEnd, 3, kToAll)},
      {2, 3, frame_of(HeartbeatKind::kMessage, 3, 4)},  {2, 3, frame_of(HeartbeatKind::kGone, 3, 0)},
      {2, 0, frame_of(HeartbeatKind::kEnd, 1, kToAll)}, {2, 0, frame_of(HeartbeatKind::kAlive, 0, 1)},
      {2, 0, frame_of(HeartbeatKind::kAlive, 0, -2)},   {2, 0, frame_of(HeartbeatKind::kAlive, 3, 2)},
      {0, 2, frame_of(HeartbeatKind::kAlive, 1, 0)},    {0, 2, frame_of(HeartbeatKind::kGone, 2, 0)},
      {0, 2, frame_of(HeartbeatKind::kAlive, 0, 0)},    {0, 2, frame_of(HeartbeatKind::kAlive, 3, 1)},
      {0, 1, frame_of(HeartbeatKind::kAlive, 2, 0)},    {3, 2, frame_of(HeartbeatKind::kAlive, 4, 3)},
      {3, 2, frame_of(HeartbeatKind::kEnd, 1, kToAll)}, {3, 2, frame_of(HeartbeatKind::kAlive, 0, 4)},
  };
  for (const Case& one : cases) {
    const std::string what = fmt::format("at {} from {}: kind {} of {} to {}", one.at, one.from,
                                         static_cast<int>(one.heartbeat.kind), one.heartbeat.rank, one.heartbeat.to);
    make(one.at);
    malformed_.clear();
    heard_.clear();
    neighbours_[one.from].send(one.heartbeat);
    listen();
    EXPECT_THAT(malformed_, ElementsAre(one.from)) << what;
    EXPECT_THAT(heard_, IsEmpty()) << what;
    for (auto& [rank, neighbour] : neighbours_) EXPECT_THAT(neighbour.read(), IsEmpty()) << what;
  }
}

TEST_F(ControlChannelTest, Worker0HearsAWholeHostOverOneConnection) {
  make(0);
  for (const int rank : {2, 3, 4}) neighbours_[2].send(frame_of(HeartbeatKind::kAlive, rank, 0, rank));
  neighbours_[2].send(frame_of(HeartbeatKind::kGone, 4, 0, 44));
  listen();
  EXPECT_THAT(heard_, ElementsAre(Pair(2, 2), Pair(3, 3), Pair(4, 4), Pair(4, 44)));
  channel_->send(4, frame_of(HeartbeatKind::kAnswer, 0, 0, 5));
  channel_->send_all(frame_of(HeartbeatKind::kEnd, 0, 0, 6));
  EXPECT_THAT(neighbours_[2].read(), ElementsAre(Pair(0, 5), Pair(0, 6)));
  EXPECT_EQ(neighbours_[2].incoming.heartbeat().to, kToAll);
  EXPECT_THAT(neighbours_[1].read(), ElementsAre(Pair(0, 6)));
}

// Nobody reads at worker 0: what waits in the leader stays small, and the children notice.
TEST_F(ControlChannelTest, ALeaderThatCannotSendDoesNotRead) {
  constexpr int kCount = 400;  // of 64 KiB for each of two: more than all buffers on the way
  make(2);
  std::map<int, int64_t> sent = {{3, 0}, {4, 0}}, arrived = sent;
  const auto push = [&] {
    for (auto& [rank, step] : sent) {
      Neighbour& child = neighbours_[static_cast<size_t>(rank)];
      child.outgoing.send(child.socket);
      while (step < kCount && !child.outgoing.is_blocked()) {
        child.send(frame_of(HeartbeatKind::kMessage, rank, 0, step++), kMaxAttached);
      }
    }
  };
  for (int i = 0; i < 8; ++i) {
    push();
    listen();
    EXPECT_LE(channel_->unsent(0), 100u * 1024);
  }
  EXPECT_LT(sent[3], kCount);
  EXPECT_LT(sent[4], kCount);
  neighbours_[0].send(frame_of(HeartbeatKind::kAnswer, 0, 3, 7));
  listen();
  EXPECT_THAT(neighbours_[3].read(), ElementsAre(Pair(0, 7))) << "the other direction is free";

  // Worker 0 reads: both get through, as one does not wait until the other has nothing more.
  for (int i = 0; i < 4 * kCount && (arrived[3] < kCount || arrived[4] < kCount); ++i) {
    while (neighbours_[0].incoming.read(neighbours_[0].socket) == Heard::kHeartbeat) {
      const Heartbeat& heard = neighbours_[0].incoming.heartbeat();
      ASSERT_EQ(heard.step, arrived[heard.rank]++);
      ASSERT_EQ(neighbours_[0].incoming.attached().size(), kMaxAttached);
      EXPECT_LT(std::abs(arrived[3] - arrived[4]), 50);
    }
    push();
    listen();
  }
  EXPECT_EQ(arrived[3], kCount);
  EXPECT_EQ(arrived[4], kCount);
}

TEST_F(ControlChannelTest, OfAChildThatDoesNotReadTheOthersSeeNothing) {
  make(2);
  size_t seen = 0;
  for (int i = 0; i < 5000; ++i) {
    neighbours_[0].send(frame_of(HeartbeatKind::kAlive, 0, kToAll, i));
    listen();
    seen += neighbours_[4].read().size();
  }
  EXPECT_EQ(seen, 5000u);
  EXPECT_LT(channel_->unsent(3), 2 * sizeof(Heartbeat));
  neighbours_[0].send(frame_of(HeartbeatKind::kEnd, 0, kToAll, 5000));
  listen();
  std::vector<Pair> heard;
  for (int i = 0; i < 100 && (heard.empty() || heard.back().second != 5000); ++i) {
    for (const Pair& one : neighbours_[3].read()) heard.push_back(one);
    listen();
  }
  EXPECT_LT(heard.size(), 5000u);
  EXPECT_EQ(heard.back().second, 5000) << "only signs of life are dropped";
}

TEST_F(ControlChannelTest, ALeaderThatLeavesPassesOnWhatHasCome) {
  make(2);
  for (int i = 0; i < 100; ++i) neighbours_[3].send(frame_of(HeartbeatKind::kMessage, 3, 0, i));
  neighbours_[3].send(frame_of(HeartbeatKind::kShutdown, 3, 0, 100));
  neighbours_[3].socket.close();
  channel_->finish(
      [&](size_t rank, Heard heard, const Heartbeat&, std::span<const std::byte>) {
        if (heard == Heard::kGone) gone_.push_back(rank);
      },
      5);
  EXPECT_EQ(neighbours_[0].read().size(), 101u);
  EXPECT_THAT(gone_, ElementsAre(3));
}

}  // namespace
}  // namespace verbund
