// SPDX-License-Identifier: Apache-2.0
#include "plan/simulated_step.h"

#include <gtest/gtest.h>

#include "collectives/chunks.h"

namespace verbund {
namespace {

constexpr double kChunkBytes = 4.0 * kChunk;
constexpr double kSumSeconds = 0.01;  // more than the sum of a step's numbers takes over a network of chunks a second

// One operation a second, so that the work of a stage is its seconds; an update takes half a second.
ComputeRates one_a_second() {
  ComputeRates rates;
  rates.gemm = rates.attention = 1;
  rates.update_bytes = 2 * kUpdateBytesPerWeight;
  return rates;
}

// `chunks_a_second` from each host; computing loses nothing by it.
ExchangeRates network(double chunks_a_second, double round_trip = 0) {
  ExchangeRates rates;
  rates.link = chunks_a_second * kChunkBytes;
  rates.round_trip = round_trip;
  rates.memory = 1e18;
  rates.core_seconds_per_byte = rates.core_seconds_per_local_byte = 0;
  return rates;
}

// Forward takes 3 s; then 4 stages of 1 s, after each of which a chunk is final, from the end of the buffer on.
StepToSimulate four_chunks() {
  StepToSimulate step;
  step.order = order_without_rows(4 * kChunk);
  step.weights = 1;
  WorkStage forward;
  forward.gemm = 3;
  step.stages.push_back(forward);
  for (size_t i = 4; i-- > 0;) {
    WorkStage stage;
    stage.backward = true;
    stage.gemm = 1;
    stage.ready = {i * kChunk, (i + 1) * kChunk};
    step.stages.push_back(stage);
  }
  return step;
}

const ExchangeLayout kAlone = {1, 1, 1, false}, kTwoHosts = {2, 2, 1, false}, kOneHost = {2, 1, 2, false};

TEST(SimulatedStep, AWorkerAloneWaitsForNobody) {
  const SimulatedStep step = simulate_step(four_chunks(), kAlone, one_a_second(), network(1e-9, 100), kChunk);
  EXPECT_DOUBLE_EQ(step.seconds, 7.5);
  EXPECT_DOUBLE_EQ(step.exposed, 0);
  EXPECT_EQ(step.sent_bytes, 0);
}

// Computing 7 s, update 0.5 s; sending 4 chunks takes 16 s, once in 8 steps.
TEST(SimulatedStep, ARoundOfLocalStepsSpreadsItsExchange) {
  StepToSimulate step = four_chunks();
  step.sync_every = 8;
  SimulatedStep mean = simulate_step(step, kTwoHosts, one_a_second(), network(0.25), kChunk);
  EXPECT_DOUBLE_EQ(mean.exposed, 2);
  EXPECT_DOUBLE_EQ(mean.exchange, 2);
  EXPECT_DOUBLE_EQ(mean.sent_bytes, 4 * kChunkBytes / 8);
  EXPECT_NEAR(mean.seconds, 7.5 + 2, 0.1);
  step.sync_delay = 1;  // hides 7.5 s
  mean = simulate_step(step, kTwoHosts, one_a_second(), network(0.25), kChunk);
  EXPECT_DOUBLE_EQ(mean.exposed, (16 - 7.5) / 8);
  step.sync_delay = 3;
  EXPECT_DOUBLE_EQ(simulate_step(step, kTwoHosts, one_a_second(), network(0.25), kChunk).exposed, 0);
}

// The same exchange of 16 s, which 7.5 s hide for each step after it began. 12 steps have rounds of 8 and of 4.
TEST(SimulatedStep, TheLastRoundEndsWithTheTraining) {
  struct Case {
    int64_t steps, delay;
    double exchanges, exposed;  // of the whole training
  };
  for (const Case& one : {Case{16, 0, 2, 32}, Case{12, 0, 2, 32}, Case{3, 0, 1, 16}, Case{12, 1, 2, 8.5 + 16},
                          Case{12, 5, 2, 16 - 7.5}, Case{3, 6, 1, 16 - 7.5}}) {
    StepToSimulate step = four_chunks();
    step.sync_every = 8;
    step.sync_delay = one.delay;
    step.steps = one.steps;
    const SimulatedStep mean = simulate_step(step, kTwoHosts, one_a_second(), network(0.25), kChunk);
    const auto all = static_cast<double>(one.steps);
    EXPECT_DOUBLE_EQ(mean.exchanges * all, one.exchanges) << one.steps;
    EXPECT_DOUBLE_EQ(mean.sent_bytes * all, one.exchanges * 4 * kChunkBytes) << one.steps;
    EXPECT_DOUBLE_EQ(mean.exchange * all, one.exchanges * 16) << one.steps;
    EXPECT_DOUBLE_EQ(mean.exposed * all, one.exposed) << one.steps << " " << one.delay;
  }
}

// Two hosts send 2 (2-1)/2 = 1 times a bucket.
TEST(SimulatedStep, WithAFastNetworkOnlyTheLastBucketShows) {
  const SimulatedStep step = simulate_step(four_chunks(), kTwoHosts, one_a_second(), network(2), kChunk);
  EXPECT_DOUBLE_EQ(step.compute, 7);
  EXPECT_NEAR(step.exchange, 2, kSumSeconds);
  EXPECT_NEAR(step.exposed, 0.5, kSumSeconds);
  EXPECT_NEAR(step.seconds, 8, kSumSeconds);
  EXPECT_EQ(step.buckets, 4);
  EXPECT_DOUBLE_EQ(step.sent_bytes, 4 * kChunkBytes);
}

// The first bucket leaves at 4 s, and then the network is never idle: 4 x 5 s.
TEST(SimulatedStep, WithASlowNetworkBucketsQueue) {
  const SimulatedStep step = simulate_step(four_chunks(), kTwoHosts, one_a_second(), network(0.2), kChunk);
  EXPECT_NEAR(step.exposed, 4 + 20 - 7, kSumSeconds);
  EXPECT_NEAR(step.seconds, 24.5, kSumSeconds);
}

// Each bucket costs a round trip of 3 s: four of them 12 s from 4 s on; one of all four begins at 7 s. The sum of
// numbers costs half a round trip.
TEST(SimulatedStep, LatencyCountsForEveryBucket) {
  const ExchangeRates rates = network(1e12, 3);
  EXPECT_NEAR(simulate_step(four_chunks(), kTwoHosts, one_a_second(), rates, kChunk).exposed, 4 + 12 - 7 + 1.5, 1e-6);
  const SimulatedStep large = simulate_step(four_chunks(), kTwoHosts, one_a_second(), rates, 4 * kChunk);
  EXPECT_NEAR(large.exposed, 3 + 1.5, 1e-6);
  EXPECT_NEAR(large.latency, 3 + 1.5, 1e-6);
  EXPECT_NEAR(large.sum, 1.5, 1e-6);
  EXPECT_EQ(large.buckets, 1);
}

TEST(SimulatedStep, WithinAHostMemoryIsTheNetwork) {
  ExchangeRates rates = network(1e-9, 100);
  rates.memory = 2 * kChunkBytes;
  const SimulatedStep step = simulate_step(four_chunks(), kOneHost, one_a_second(), rates, kChunk);
  EXPECT_DOUBLE_EQ(step.exposed, 0.5);
  EXPECT_EQ(step.sent_bytes, 0);
}

TEST(SimulatedStep, EarlierMicroBatchesHideNothing) {
  StepToSimulate step = four_chunks();
  step.before = 10;
  const SimulatedStep simulated = simulate_step(step, kTwoHosts, one_a_second(), network(0.2), kChunk);
  EXPECT_DOUBLE_EQ(simulated.compute, 17);
  EXPECT_NEAR(simulated.seconds, 34.5, kSumSeconds);
}

TEST(SimulatedStep, RowsGoToEveryOtherHostOrTheWholeEmbeddingIfThatIsLess) {
  StepToSimulate step = four_chunks();
  step.stages.back().rows = 0;
  step.order.lookups = {{{0, 1000 * 64}, 64, true}};
  step.order.events.push_back({{}, 0});
  step.distinct_tokens = {100};
  const ExchangeLayout three = {6, 3, 2, false};
  const double buckets = 2 * 2.0 / 3 * 4 * kChunkBytes, row = 4 * 64 + 4;
  EXPECT_NEAR(simulate_step(step, three, one_a_second(), network(1), kChunk).sent_bytes, buckets + 2 * 2 * 100 * row,
              1);
  step.distinct_tokens = {900};
  EXPECT_NEAR(simulate_step(step, three, one_a_second(), network(1), kChunk).sent_bytes,
              buckets + 2 * 2.0 / 3 * 1000 * 4 * 64, 1);
}

// Half of the way while computing, the other half, in fp32, after an update of half the weights.
TEST(SimulatedStep, AShardedOptimiserBringsWeightsBackAfterTheUpdate) {
  StepToSimulate step = four_chunks();
  step.sharded = true;
  const SimulatedStep simulated = simulate_step(step, kTwoHosts, one_a_second(), network(2), kChunk);
  EXPECT_DOUBLE_EQ(simulated.update, 0.25);
  EXPECT_NEAR(simulated.exposed, 0.25 + 1, kSumSeconds);
  EXPECT_DOUBLE_EQ(simulated.sent_bytes, 4 * kChunkBytes);
}

// Three of four buckets are sent while it computes: 3 s of a core, of which a worker with 2 threads has two.
TEST(SimulatedStep, TheExchangeTakesTimeOfTheCores) {
  ExchangeRates rates = network(2);
  rates.core_seconds_per_byte = 1 / kChunkBytes;
  ComputeRates compute = one_a_second();
  compute.threads = 2;
  EXPECT_DOUBLE_EQ(simulate_step(four_chunks(), kTwoHosts, compute, rates, kChunk).compute, 8.5);
  compute.gpu = true;
  EXPECT_DOUBLE_EQ(simulate_step(four_chunks(), kTwoHosts, compute, rates, kChunk).compute, 7);
}

// Eight hosts are a round, 64 are two and 1,024 four, of half a round trip each. The bytes grow with the workers.
TEST(SimulatedStep, TheSumOfNumbersGrowsWithTheLogarithmOfTheHosts) {
  ExchangeRates rates = network(1e9, 2);
  const auto seconds = [&](int hosts, int slots) {
    return time_of_sum({hosts * slots, hosts, slots, false}, rates).seconds;
  };
  EXPECT_EQ(seconds(1, 8), 0);
  EXPECT_NEAR(seconds(2, 8), 1, 1e-6);
  EXPECT_NEAR(seconds(8, 1), 1, 1e-6);
  EXPECT_NEAR(seconds(9, 8), 2, 1e-6);
  EXPECT_NEAR(seconds(64, 8), 2, 1e-6);
  EXPECT_NEAR(seconds(1024, 8), 4, 1e-6);
  rates.link = 56 * 1024;
  EXPECT_NEAR(seconds(1024, 8), 4 + 8, 0.01);
}

}  // namespace
}  // namespace verbund
