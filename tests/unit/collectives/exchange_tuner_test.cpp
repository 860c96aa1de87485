// SPDX-License-Identifier: Apache-2.0
#include "collectives/exchange_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thread_workers.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

// Steps that wait as told, until all is found; how many there were.
int tune(ExchangeTuner& tuner, Workers& workers, const std::function<double(const ExchangeSettings&)>& seconds) {
  int steps = 0;
  for (; !tuner.is_settled() && steps < 100; ++steps) tuner.record(workers, seconds(tuner.now()));
  return steps;
}

TEST(ExchangeTuner, TakesTheBucketAndTheFlightThatAreWaitedForLeast) {
  Workers alone;
  for (const size_t bucket : {16 * kChunk, 64 * kChunk, 256 * kChunk}) {
    for (const size_t in_flight : {kUsualInFlight / 2, kUsualInFlight, kMaxInFlight}) {
      ExchangeTuner tuner(0, 1000 * kChunk, ExchangeTuner::Tries::kBucketsAndFlights);
      const int steps = tune(tuner, alone, [&](const ExchangeSettings& now) {
        return 1.0 + (now.bucket == bucket ? 0 : 1) + (now.in_flight == in_flight ? 0 : 0.5);
      });
      EXPECT_EQ(steps, 18);
      EXPECT_EQ(tuner.found(), (ExchangeSettings{bucket, in_flight}));
      EXPECT_EQ(tuner.now(), *tuner.found());
    }
  }
}

TEST(ExchangeTuner, ASlowMomentDecidesNothing) {
  Workers alone;
  ExchangeTuner tuner(0, 1000 * kChunk, ExchangeTuner::Tries::kBuckets);
  int step = 0;
  tune(tuner, alone, [&](const ExchangeSettings& now) {
    return step++ < 3 ? 100.0 : now.bucket == 64 * kChunk ? 1.0 : 2.0;
  });
  EXPECT_EQ(step, 9);
  EXPECT_EQ(tuner.found()->bucket, 64 * kChunk);
}

TEST(ExchangeTuner, WorkersTakeTheSameByTheSlowestOfThem) {
  run_as_workers(2, [&](Workers& all) {
    ExchangeTuner tuner(0, 1000 * kChunk, ExchangeTuner::Tries::kBuckets);
    tune(tuner, all, [&](const ExchangeSettings& now) {  // worker 0 likes the smallest, worker 1 has to wait for it
      if (all.rank() == 0) return now.bucket == 16 * kChunk ? 0.0 : 1.0;
      return now.bucket == 16 * kChunk ? 3.0 : now.bucket == 256 * kChunk ? 0.5 : 2.0;
    });
    EXPECT_EQ(tuner.found()->bucket, 256 * kChunk);
  });
}

TEST(ExchangeTuner, WhatIsGivenOrSmallIsNotTried) {
  ExchangeTuner given(3 * kChunk + 5, 1000 * kChunk, ExchangeTuner::Tries::kBucketsAndFlights);
  EXPECT_TRUE(given.is_settled());
  EXPECT_EQ(given.now(), (ExchangeSettings{3 * kChunk, kUsualInFlight}));
  EXPECT_FALSE(given.found());
  given.settle({16 * kChunk, 8});  // the configuration's word counts
  EXPECT_EQ(given.now().bucket, 3 * kChunk);
  EXPECT_TRUE(ExchangeTuner(0, 10 * kChunk, ExchangeTuner::Tries::kBucketsAndFlights).is_settled());
}

TEST(ExchangeTuner, WhatWasFoundBeforeCountsIfItMakesSense) {
  ExchangeTuner tuner(0, 1000 * kChunk, ExchangeTuner::Tries::kBucketsAndFlights);
  tuner.settle({0, 8});
  EXPECT_FALSE(tuner.is_settled());
  tuner.settle({16 * kChunk, 1000});
  EXPECT_EQ(tuner.now(), (ExchangeSettings{16 * kChunk, kMaxInFlight}));
  EXPECT_THAT(tuner.take_report(), HasSubstr("32 chunks"));
  EXPECT_EQ(tuner.take_report(), "");
}

}  // namespace
}  // namespace verbund
