// SPDX-License-Identifier: Apache-2.0
#include "control/heartbeat_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>

#include "unit/control/made_network.h"

namespace verbund {
namespace {

std::vector<std::byte> some_bytes(size_t size, int seed = 1) {
  std::vector<std::byte> result(size);
  for (size_t i = 0; i < size; ++i) result[i] = static_cast<std::byte>(i * 31 + static_cast<size_t>(seed));
  return result;
}

class HeartbeatStream : public ::testing::Test {
 protected:
  HeartbeatStream() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    near_ = Socket(ends[0]);
    far_ = Socket(ends[1]);
  }

  // Reads a header that was sent as it is.
  Heard read_header(const Heartbeat& heartbeat) {
    EXPECT_EQ(near_.send(std::as_bytes(std::span(&heartbeat, 1))), static_cast<int>(sizeof heartbeat));
    return reader_.read(far_);
  }

  Socket near_, far_;
  HeartbeatWriter writer_;
  HeartbeatReader reader_{kRun};
};

TEST_F(HeartbeatStream, BringsHeartbeatsAndWhatIsAttachedInTheirOrder) {
  const size_t sizes[] = {0, 1, 1000, 0, 30000};
  for (const size_t size : sizes)
    writer_.add(heartbeat_of(HeartbeatKind::kMessage, static_cast<int64_t>(size)), some_bytes(size));
  writer_.send(near_);
  EXPECT_EQ(writer_.unsent(), 0u);
  for (const size_t size : sizes) {
    ASSERT_EQ(reader_.read(far_), Heard::kHeartbeat);
    EXPECT_EQ(reader_.heartbeat().step, static_cast<int64_t>(size));
    EXPECT_THAT(reader_.attached(), ::testing::ElementsAreArray(some_bytes(size)));
  }
  EXPECT_EQ(reader_.read(far_), Heard::kNothing);
}

TEST_F(HeartbeatStream, PutsTogetherWhatComesByteByByte) {
  HeartbeatWriter whole;
  whole.add(heartbeat_of(HeartbeatKind::kMessage, 5), some_bytes(77));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Socket in(ends[0]), out(ends[1]);
  whole.send(in);
  std::byte one[1];
  for (size_t left = sizeof(Heartbeat) + 77; left > 0; --left) {
    ASSERT_EQ(reader_.read(far_), Heard::kNothing);
    ASSERT_EQ(out.receive(one), 1);
    ASSERT_EQ(near_.send(one), 1);
  }
  ASSERT_EQ(reader_.read(far_), Heard::kHeartbeat);
  EXPECT_EQ(reader_.heartbeat().step, 5);
  EXPECT_THAT(reader_.attached(), ::testing::ElementsAreArray(some_bytes(77)));
}

TEST_F(HeartbeatStream, WhatCannotBeSentIsKept) {
  constexpr int kCount = 40;
  for (int i = 0; i < kCount; ++i) {
    writer_.add(heartbeat_of(HeartbeatKind::kMessage, i), some_bytes(kMaxAttached, i));
    writer_.send(near_);
  }
  EXPECT_GT(writer_.unsent(), 0u) << "more than a socket's buffer";
  for (int i = 0; i < kCount;) {
    writer_.send(near_);
    if (reader_.read(far_) != Heard::kHeartbeat) continue;
    ASSERT_EQ(reader_.heartbeat().step, i);
    ASSERT_EQ(reader_.attached().size(), kMaxAttached);
    ASSERT_EQ(std::memcmp(reader_.attached().data(), some_bytes(kMaxAttached, i).data(), kMaxAttached), 0);
    ++i;
  }
}

TEST_F(HeartbeatStream, ASizeThatNoWorkerSendsIsMalformed) {
  for (const uint64_t size : {uint64_t{kMaxAttached} + 1, uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}}) {
    Heartbeat heartbeat = heartbeat_of(HeartbeatKind::kMessage);
    heartbeat.attached = size;
    reader_ = HeartbeatReader(kRun);
    EXPECT_EQ(read_header(heartbeat), Heard::kMalformed) << size;
    EXPECT_TRUE(reader_.attached().empty());
  }
}

TEST_F(HeartbeatStream, AStrangerOrAnUnknownKindIsMalformed) {
  Heartbeat stranger = heartbeat_of(HeartbeatKind::kAlive);
  stranger.run ^= 1;
  EXPECT_EQ(read_header(stranger), Heard::kMalformed);
  reader_ = HeartbeatReader(kRun);
  EXPECT_EQ(read_header(heartbeat_of(static_cast<HeartbeatKind>(static_cast<uint32_t>(kLastHeartbeatKind) + 1))),
            Heard::kMalformed);
}

TEST_F(HeartbeatStream, TextsEndWhereTheirPlaceDoes) {
  Heartbeat heartbeat = heartbeat_of(HeartbeatKind::kAlive);
  std::memset(heartbeat.doing, 'x', sizeof heartbeat.doing);
  std::memset(heartbeat.operation, 'y', sizeof heartbeat.operation);
  ASSERT_EQ(read_header(heartbeat), Heard::kHeartbeat);
  EXPECT_EQ(std::strlen(reader_.heartbeat().doing), sizeof heartbeat.doing - 1);
  EXPECT_EQ(std::strlen(reader_.heartbeat().operation), sizeof heartbeat.operation - 1);
}

TEST_F(HeartbeatStream, AConnectionThatEndsInsideAMessageIsGone) {
  writer_.add(heartbeat_of(HeartbeatKind::kAlive));
  writer_.send(near_);
  Heartbeat heartbeat = heartbeat_of(HeartbeatKind::kMessage);
  heartbeat.attached = 100;
  near_.send(std::as_bytes(std::span(&heartbeat, 1)));
  near_.send(some_bytes(99));
  near_.close();
  EXPECT_EQ(reader_.read(far_), Heard::kHeartbeat);
  EXPECT_EQ(reader_.read(far_), Heard::kGone);
}

TEST_F(HeartbeatStream, ATooLongTextIsCut) {
  writer_.add(heartbeat_of(HeartbeatKind::kFailed), some_bytes(kMaxAttached + 5));
  for (Heard heard = Heard::kNothing; heard != Heard::kHeartbeat; heard = reader_.read(far_)) writer_.send(near_);
  EXPECT_EQ(reader_.attached().size(), kMaxAttached);
  EXPECT_EQ(reader_.read(far_), Heard::kNothing);
}

}  // namespace
}  // namespace verbund
