// SPDX-License-Identifier: Apache-2.0
#include "report/replay.h"

#include "unit/report/made_exchange.h"

namespace verbund {
namespace {

double truth(MadeNetwork network, double factor) {
  network.bytes_per_second *= factor;
  return Replay::make(made_exchange(network, 40), network.workers)->measured();
}

TEST(Replay, FindsLatencyAndRate) {
  const auto replay = Replay::make(made_exchange({}, 40), 4);
  ASSERT_TRUE(replay);
  EXPECT_EQ(replay->steps(), 40U);
  EXPECT_NEAR(replay->bytes_per_second(), 100e6, 2e6);
  EXPECT_NEAR(replay->latency(), 0.002, 0.001);
  EXPECT_LT(replay->error(), 0.01);
}

TEST(Replay, PredictsHalfAndTwiceTheBandwidth) {
  const MadeNetwork network;
  const auto replay = Replay::make(made_exchange(network, 40), 4);
  ASSERT_TRUE(replay);
  for (const double factor : {0.5, 1.0, 2.0, 8.0}) {
    EXPECT_NEAR(replay->step_seconds(factor) / truth(network, factor), 1, 0.02) << factor;
  }
}

// What computation hides costs nothing, so more bandwidth saves nothing: the slowest worker stays.
TEST(Replay, AFasterNetworkDoesNotMakeTheSlowestWorkerFaster) {
  MadeNetwork network;
  network.bytes_per_second = 5e9;
  network.slow_factor = 2;
  const auto replay = Replay::make(made_exchange(network, 40), 4);
  ASSERT_TRUE(replay);
  EXPECT_GT(replay->step_seconds(kInfiniteBandwidth), 0.97 * replay->measured());
}

TEST(Replay, WeightsOfAShardedOptimiserFollowTheGradients) {
  MadeNetwork network;
  std::vector<ExchangeTrace> traces = made_exchange(network, 30);
  for (ExchangeTrace& trace : traces) {  // an update of 0.03 s, then all weights
    const double ready = trace.compute + trace.exposed + 0.03;
    const double took = 0.002 + 51e6 / network.bytes_per_second;
    trace.buckets.push_back({ready, ready, ready + took, static_cast<uint64_t>(51e6)});
    trace.seconds += took;
  }
  const auto replay = Replay::make(traces, 4);
  ASSERT_TRUE(replay);
  EXPECT_LT(replay->error(), 0.02);
  EXPECT_NEAR(replay->step_seconds(0.5), truth(network, 0.5) + 0.002 + 2 * 51e6 / network.bytes_per_second, 0.05);
}

TEST(Replay, BucketsOfOneSizeAreAllRate) {
  MadeNetwork network;
  network.bucket_bytes = {8e6, 8e6, 8e6};
  const auto replay = Replay::make(made_exchange(network, 20), 4);
  ASSERT_TRUE(replay);
  EXPECT_EQ(replay->latency(), 0);
  EXPECT_NEAR(replay->bytes_per_second(), 8e6 / 0.082, 1e6);
}

TEST(Replay, NeedsTheTracesOfAllWorkers) {
  std::vector<ExchangeTrace> traces = made_exchange({}, 10);
  EXPECT_FALSE(Replay::make(traces, 5));
  EXPECT_FALSE(Replay::make({}, 4));
  EXPECT_FALSE(Replay::make(traces, 1));
  traces.pop_back();  // one worker's of one step
  EXPECT_EQ(Replay::make(traces, 4)->steps(), 9U);
}

}  // namespace
}  // namespace verbund
