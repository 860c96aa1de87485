// SPDX-License-Identifier: Apache-2.0
#include "collectives/transport.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

using namespace std::chrono_literals;

TEST(AdaptivePoll, BecomeLongerWhileNothingIsDone) {
  AdaptivePoll poll;
  std::chrono::nanoseconds before = 0ns, all = 0ns;
  for (int i = 0; i < 100; ++i) {
    const std::chrono::nanoseconds pause = poll.next(0, 16);
    EXPECT_GE(pause, before);
    EXPECT_LE(pause, 1ms);
    if (i < 8) all += pause;
    before = pause;
  }
  EXPECT_EQ(before, 1ms);
  EXPECT_LT(all, 1ms) << "what is there soon is seen soon";
}

// A line that does a chunk in 0.1 ms: of 16 some are done at each look, and never all of them.
TEST(AdaptivePoll, FitTheRateOfTheLine) {
  for (const std::chrono::nanoseconds chunk : {1000us, 100us, 20us}) {
    AdaptivePoll poll;
    std::chrono::nanoseconds time = 0ns, seen = 0ns, pause = 0ns;
    for (int i = 0; i < 200; ++i) {
      const auto done = static_cast<size_t>((time - seen) / chunk);
      seen += static_cast<int64_t>(done) * chunk;
      pause = poll.next(done, 16);
      if (i > 50) {
        EXPECT_LT(pause, 12 * chunk);
      }
      time += pause + 2us;
    }
    EXPECT_GT(pause, chunk / 4);
  }
}

TEST(AdaptivePoll, AreNoneWhereAllIsDoneAtOnce) {
  AdaptivePoll poll;
  for (int i = 0; i < 20; ++i) poll.next(0, 16);
  for (int i = 0; i < 20; ++i) poll.next(16, 16);
  EXPECT_EQ(poll.next(16, 16), 0ns);
}

}  // namespace
}  // namespace verbund
