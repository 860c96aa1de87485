// SPDX-License-Identifier: Apache-2.0
#include "collectives/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "core/machine.h"
#include "core/pipeline.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(Cores, EnoughForAllThreads) {
  const CoresJudgement judgement = judge_cores("a", 8, {{0, 4, kAll}, {1, 4, kAll}});
  EXPECT_TRUE(judgement.enough);
  EXPECT_EQ(judgement.text, "a: 2 workers with 8 threads together, 8 cores");
}

TEST(Cores, MoreThreadsThanCores) {
  const CoresJudgement judgement = judge_cores("a", 8, {{0, 5, kAll}, {1, 4, kAll}});
  EXPECT_FALSE(judgement.enough);
  EXPECT_EQ(judgement.text, "a: 2 workers with 9 threads together, 8 cores: they will take turns");
  EXPECT_THAT(judgement.advice, HasSubstr("threads: 0"));
}

TEST(Cores, AllThreadsOfAWorkerBoundToOneCore) {
  const CoresJudgement judgement = judge_cores("a", 8, {{0, 4, {0}}, {1, 4, {1}}});
  EXPECT_FALSE(judgement.enough);
  EXPECT_EQ(judgement.text,
            "a: 2 workers with 8 threads together, 8 cores, of which worker 0 may use 1 for its 4 threads: they will "
            "take turns");
  EXPECT_THAT(judgement.advice, HasSubstr("--bind-to none"));
}

TEST(Cores, WorkersOfAHostBoundToTheSameCore) {
  const CoresJudgement judgement = judge_cores("a", 8, {{0, 1, {3}}, {1, 1, {3}}});
  EXPECT_FALSE(judgement.enough);
  EXPECT_EQ(judgement.text,
            "a: 2 workers with 2 threads together, 8 cores, of which they may use 1: they will take turns");
  EXPECT_THAT(judgement.advice, HasSubstr("--bind-to none"));
}

TEST(Cores, OneThreadEachOnACoreOfItsOwnLeavesTheOthersIdle) {
  const CoresJudgement judgement = judge_cores("a", 8, {{0, 1, {0}}, {1, 1, {1}}});
  EXPECT_FALSE(judgement.enough);
  EXPECT_EQ(judgement.text, "a: 2 workers with 2 threads together, 8 cores, of which they may use 2");
}

TEST(Cores, APartOfTheMachineIsNoMistake) {
  const CoresJudgement judgement = judge_cores("a", 64, {{0, 2, {8, 9}}, {1, 2, {10, 11}}});
  EXPECT_TRUE(judgement.enough);
  EXPECT_EQ(judgement.text, "a: 2 workers with 4 threads together, 64 cores, of which they may use 4");
  EXPECT_TRUE(judge_cores("a", 1, {{0, 1, {0}}}).enough);
}

// As mpirun and taskset do.
TEST(Cores, ThreadsFollowWhatTheProcessMayUse) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(allowed_cores().size(), static_cast<size_t>(CPU_COUNT(&before)));
  const int core = allowed_cores().front();
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(allowed_cores(), std::vector<int>{core});
  EXPECT_EQ(thread_count(0), 1);
  EXPECT_EQ(thread_count(3), 3);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace verbund
