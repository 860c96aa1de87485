// SPDX-License-Identifier: Apache-2.0
#include "control/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "core/error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Message message_of(int rank, int number, size_t size = 1) {
  return {rank, std::vector<std::byte>(size, static_cast<std::byte>(number)), 0};
}

TEST(MessageQueue, KeepsTheOrder) {
  MessageQueue queue;
  EXPECT_FALSE(queue.take());
  EXPECT_TRUE(queue.put(message_of(1, 10)));
  EXPECT_TRUE(queue.put(message_of(2, 20)));
  EXPECT_EQ(queue.take()->rank, 1);
  EXPECT_EQ(queue.take()->bytes.at(0), std::byte{20});
  EXPECT_TRUE(queue.is_empty());
}

TEST(MessageQueue, WhatThereIsNoRoomForIsCountedByWorker) {
  MessageQueue queue(1000);
  EXPECT_TRUE(queue.put(message_of(1, 0, 800)));
  EXPECT_FALSE(queue.put(message_of(1, 1, 800)));
  EXPECT_FALSE(queue.put(message_of(1, 2, 800)));
  EXPECT_FALSE(queue.put({2, std::vector<std::byte>(800), 5})) << "on its way five were dropped before";
  EXPECT_EQ(queue.take()->dropped_before, 0u);
  EXPECT_TRUE(queue.put(message_of(1, 3)));
  EXPECT_TRUE(queue.put(message_of(1, 4)));
  EXPECT_TRUE(queue.put({2, {}, 1}));
  EXPECT_EQ(queue.take()->dropped_before, 2u);
  EXPECT_EQ(queue.take()->dropped_before, 0u) << "they have been told";
  EXPECT_EQ(queue.take()->dropped_before, 7u);
}

TEST(MessageQueue, NoneIsLargerThanItMayBe) {
  MessageQueue queue;
  EXPECT_TRUE(queue.put(message_of(0, 1, Message::kMaxBytes)));
  EXPECT_FALSE(queue.put(message_of(0, 1, Message::kMaxBytes + 1)));
  EXPECT_TRUE(queue.put(message_of(0, 1)));
  queue.take();
  EXPECT_EQ(queue.take()->dropped_before, 1u);
}

TEST(MessageQueue, EmptyOnesTakeRoomToo) {
  MessageQueue queue(10000);
  int taken = 0;
  while (queue.put(message_of(0, 0, 0))) ++taken;
  EXPECT_LT(taken, 10000);
}

class TelemetryReceiverTest : public ::testing::Test {
 protected:
  TelemetryHandler handler() {
    return [this](int rank, std::span<const std::byte> message, uint64_t dropped) {
      received_.push_back(rank * 1000 + static_cast<int>(message[0]));
      dropped_ += dropped;
    };
  }

  std::vector<int> received_;  // read it when all is drained
  uint64_t dropped_ = 0;
};

TEST_F(TelemetryReceiverTest, MessagesWaitForTheReceiver) {
  TelemetryReceiver receiver;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(receiver.put(message_of(i, i)));
  receiver.set_handler(handler());
  EXPECT_TRUE(receiver.put(message_of(3, 3)));
  EXPECT_TRUE(receiver.drain(60));
  EXPECT_THAT(received_, ElementsAre(0, 1001, 2002, 3003));
}

TEST_F(TelemetryReceiverTest, AsManyAsThereIsRoomFor) {
  TelemetryReceiver receiver(1000);
  uint64_t refused = 0;
  for (int i = 0; i < 100; ++i) refused += receiver.put(message_of(1, i)) ? 0 : 1;
  EXPECT_GT(refused, 0u);
  receiver.set_handler(handler());
  EXPECT_TRUE(receiver.drain(60));
  EXPECT_TRUE(receiver.put(message_of(1, 100)));
  EXPECT_TRUE(receiver.drain(60));
  EXPECT_EQ(received_.size() + dropped_, 101u);
  EXPECT_EQ(dropped_, refused);
}

TEST_F(TelemetryReceiverTest, WhatCameBeforeAReceiverLeavesIsItsOwn) {
  TelemetryReceiver receiver;
  receiver.set_handler(handler());
  for (int i = 0; i < 100; ++i) receiver.put(message_of(0, i));
  receiver.set_handler({});
  EXPECT_EQ(received_.size(), 100u);
  receiver.put(message_of(0, 100));
  EXPECT_TRUE(receiver.drain(60)) << "nobody is there to wait for";
  EXPECT_EQ(received_.size(), 100u);
  receiver.set_handler(handler());
  EXPECT_TRUE(receiver.drain(60));
  EXPECT_EQ(received_.size(), 101u);
}

TEST_F(TelemetryReceiverTest, ASlowReceiverHoldsUpNobody) {
  std::promise<void> disk;
  TelemetryReceiver receiver;
  receiver.set_handler([&](int, std::span<const std::byte>, uint64_t) { disk.get_future().wait(); });
  EXPECT_TRUE(receiver.put(message_of(0, 0)));
  EXPECT_FALSE(receiver.drain(0.01));
  disk.set_value();
  EXPECT_TRUE(receiver.drain(60));
}

TEST_F(TelemetryReceiverTest, OneThatFailsIsNotCalledAgain) {
  TelemetryReceiver receiver;
  std::atomic<int> calls = 0;
  receiver.set_handler([&](int, std::span<const std::byte>, uint64_t) {
    ++calls;
    fail("the disk is full");
  });
  ::testing::internal::CaptureStderr();
  receiver.put(message_of(0, 0));
  receiver.put(message_of(0, 1));
  EXPECT_TRUE(receiver.drain(60));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("the disk is full"));
  EXPECT_EQ(calls, 1);
  receiver.set_handler(handler());
  receiver.put(message_of(0, 2));
  EXPECT_TRUE(receiver.drain(60));
  EXPECT_THAT(received_, ElementsAre(2));
}

TEST_F(TelemetryReceiverTest, IsLeftWithMessagesInIt) {
  TelemetryReceiver receiver;
  receiver.put(message_of(0, 0));
  EXPECT_THAT(received_, IsEmpty());
}

}  // namespace
}  // namespace verbund
