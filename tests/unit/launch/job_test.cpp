// SPDX-License-Identifier: Apache-2.0
#include "launch/job.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(RestartPolicy, JudgesByTheExitCode) {
  EXPECT_EQ(judge({.exit_code = 0}), JobFate::kDone);
  for (const int code : {1, 2, 127}) EXPECT_EQ(judge({.exit_code = code}), JobFate::kFailed) << code;
  // Lost, killed, aborted, crashed, a daemon gone, stopped by somebody else.
  for (const int code : {3, 137, 134, 139, 205, 143}) EXPECT_EQ(judge({.exit_code = code}), JobFate::kLost) << code;
}

TEST(RestartPolicy, AHostThatIsGoneIsWorthARestart) {
  EXPECT_EQ(judge({.exit_code = 1, .lost_host = true}), JobFate::kLost);
}

TEST(RestartPolicy, AnMpirunThatSomebodyEndedIsWorthARestart) {
  EXPECT_EQ(judge({.exit_code = 1, .from_outside = true}), JobFate::kLost);
  for (const int requests : {1, 2}) {
    EXPECT_EQ(judge({.exit_code = 1, .stop_requests = requests, .from_outside = true}), JobFate::kStopped) << requests;
  }
}

TEST(RestartPolicy, AMissingProgramIsNot) {
  EXPECT_EQ(judge({.exit_code = 132, .cannot_start = true}), JobFate::kFailed);
}

TEST(RestartPolicy, NothingIsStartedAgainOnceItWasAskedToStop) {
  for (const int code : {143, 130, 129, 138}) {
    EXPECT_EQ(judge({.exit_code = code, .stop_requests = 1}), JobFate::kStopped) << code;
  }
  EXPECT_EQ(judge({.exit_code = 0, .stop_requests = 1, .all_started = true}), JobFate::kDone);
  EXPECT_EQ(judge({.exit_code = 0, .stop_requests = 1, .all_started = false}), JobFate::kStopped);
  EXPECT_EQ(judge({.exit_code = 0, .stop_requests = 0, .all_started = false}), JobFate::kDone);
  for (const int code : {1, 3, 137}) {
    EXPECT_EQ(judge({.exit_code = code, .stop_requests = 1}), JobFate::kFailed) << code;
  }
  for (const int code : {1, 137, 143}) {
    EXPECT_EQ(judge({.exit_code = code, .stop_requests = 2}), JobFate::kStopped) << code;
  }
}

TEST(RestartPolicy, WorkersThatLeftOnRequestHaveSaidSo) {
  for (const int code : {143, 130, 129})
    EXPECT_TRUE(has_reported_stop({.exit_code = code, .stop_requests = 1})) << code;
  EXPECT_FALSE(has_reported_stop({.exit_code = 138, .stop_requests = 1}));  // ended by the request itself
  EXPECT_FALSE(has_reported_stop({.exit_code = 143, .stop_requests = 2}));  // by force
  EXPECT_FALSE(has_reported_stop({.exit_code = 143}));
}

}  // namespace
}  // namespace verbund
