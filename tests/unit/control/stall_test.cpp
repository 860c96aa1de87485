// SPDX-License-Identifier: Apache-2.0
#include "control/stall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

WorkerSeen at_work(const std::string& name) { return {name, 0.1, 7, 7, 0, 36, "forward and backward", "sum", false}; }
WorkerSeen waiting(const std::string& name, double seconds) {
  WorkerSeen worker = {name, 0.1, 8, 7, seconds, 36, "waiting", "sum of gradients", false};
  worker.since_entered = seconds;
  return worker;
}

TEST(Stall, NobodyWaitsWhileAllWork) {
  EXPECT_FALSE(find_stall(std::vector{at_work("worker 0 on a"), at_work("worker 1 on b")}));
}

TEST(Stall, NamesTheStraggler) {
  const auto stall =
      find_stall(std::vector{waiting("worker 0 on a", 12), at_work("worker 1 on b"), waiting("worker 2 on b", 9)});
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->worker, 1u);
  EXPECT_EQ(stall->seconds, 12);
  EXPECT_FALSE(stall->of_all);
  EXPECT_THAT(stall->message, AllOf(HasSubstr("worker 1 on b"), HasSubstr("sum of gradients"), HasSubstr("step 37"),
                                    HasSubstr("forward and backward"), HasSubstr("12 s")));
}

// In a round of local steps, a slow worker is late by many steps, but each of them is done in time.
TEST(Stall, AWorkerThatAdvancesIsNoStraggler) {
  WorkerSeen slow = at_work("worker 1 on b");
  slow.in_step = 3;
  const auto stall = find_stall(std::vector{waiting("worker 0 on a", 400), slow});
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->seconds, 3);
}

TEST(Stall, ASilentWorkerIsTheReason) {
  WorkerSeen silent = at_work("worker 1 on b");
  silent.silent = 20;
  const auto stall = find_stall(std::vector{waiting("worker 0 on a", 19), silent});
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->worker, 1u);
  EXPECT_THAT(stall->message, AllOf(HasSubstr("worker 1 on b"), HasSubstr("20 s")));
}

TEST(Stall, AWorkerAfterAnOrderlyShutdownIsNotMissed) {
  WorkerSeen gone = at_work("worker 1 on b");
  gone.silent = 100;
  gone.left = true;
  EXPECT_FALSE(find_stall(std::vector{at_work("worker 0 on a"), gone}));
}

TEST(Stall, AWorkerThatMayBlockIsWaitedFor) {
  WorkerSeen saving = at_work("worker 0 on a");
  saving.may_block = true;
  EXPECT_FALSE(find_stall(std::vector{saving, waiting("worker 1 on b", 1000)}));
  saving.silent = 1000;
  EXPECT_TRUE(find_stall(std::vector{saving, waiting("worker 1 on b", 1000)}));
}

TEST(Stall, WhenAllWaitTheNetworkIsToBlame) {
  const auto stall = find_stall(std::vector{waiting("worker 0 on a", 30), waiting("worker 1 on b", 31)});
  ASSERT_TRUE(stall);
  EXPECT_TRUE(stall->of_all);
  EXPECT_EQ(stall->worker, 1u);
  EXPECT_EQ(stall->seconds, 30);
  EXPECT_THAT(stall->message, HasSubstr("30 s"));
}

// A fast worker has waited for a slow one in a round of local steps; that is over now.
TEST(Stall, OfAllBeginsWhenTheLastWorkerHasCome) {
  WorkerSeen slow = waiting("worker 1 on b", 0.5);
  auto stall = find_stall(std::vector{waiting("worker 0 on a", 400), slow});
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->seconds, 0.5);
  // It may be the first to have the result: the last heartbeat of the other is older.
  slow.finished = slow.entered;
  slow.waiting = 0;
  stall = find_stall(std::vector{waiting("worker 0 on a", 400), slow});
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->seconds, 0.5);
}

TEST(Stall, OfAllKnowsThatAWorkerMayBlock) {
  WorkerSeen saving = waiting("worker 0 on a", 1000);
  saving.may_block = true;
  const WorkerSeen other = waiting("worker 1 on b", 1000);
  EXPECT_TRUE(find_stall(std::vector{saving, other})->may_block);
  EXPECT_TRUE(find_stall(std::vector{other, saving})->may_block);
  EXPECT_FALSE(find_stall(std::vector{other, other})->may_block);
}

}  // namespace
}  // namespace verbund
