// SPDX-License-Identifier: Apache-2.0
#include "record/step_recorder.h"

#include <gmock/gmock.h>

#include "support/made_post.h"

namespace verbund {
namespace {

StepSeen step_seen(int64_t step) {
  StepSeen seen;
  seen.step = step;
  seen.began = 1.7e9 + static_cast<double>(step);
  seen.own = {20, 18, 10, 5};
  seen.loss = {200, 180, 100, 50};
  seen.times.seconds = 0.5;
  seen.times.waited = 0.125;
  seen.times.bytes = 12345;
  return seen;
}

TEST(StepRecorder, TellsWhatThisWorkerLivedThrough) {
  const MadePost post(1, "b", 3);
  StepRecorder recorder(*post);
  StepSeen seen = step_seen(9);
  seen.updated = false;
  seen.times.tuning = true;
  recorder.step(seen);
  recorder.end();
  const auto batches = post.all<StepBatch>();
  ASSERT_EQ(batches.size(), 1u);
  const StepRecord& record = batches[0].records.at(0);
  EXPECT_EQ(record.step, 9);
  EXPECT_EQ(record.began, seen.began);
  EXPECT_EQ(record.seconds, 0.5F);
  EXPECT_EQ(record.waited, 0.125F);
  EXPECT_EQ(record.bytes, 12345u);
  EXPECT_EQ(record.tokens, 10u) << "its own, not all workers'";
  EXPECT_EQ(record.loss, 2);
  EXPECT_EQ(record.start, 3u);
  EXPECT_EQ(record.flags, uint32_t{kTuningBuckets | kNotUpdated});
}

TEST(StepRecorder, TellsInBatchesTwiceASecondOrWhenThereAreMany) {
  MadePost post;
  StepRecorder recorder(*post);
  for (int64_t step = 1; step <= 63; ++step) recorder.step(step_seen(step));
  EXPECT_TRUE(post.sent().empty());
  recorder.step(step_seen(64));
  ASSERT_EQ(post.all<StepBatch>().size(), 1u);
  EXPECT_EQ(post.all<StepBatch>()[0].records.size(), 64u);
  recorder.step(step_seen(65));
  post.time = post.time + 0.6;
  recorder.step(step_seen(66));
  ASSERT_EQ(post.all<StepBatch>().size(), 2u);
  EXPECT_EQ(post.all<StepBatch>()[1].records.size(), 2u);
  recorder.step(step_seen(67));
  recorder.pause();
  EXPECT_EQ(post.all<StepBatch>().size(), 3u) << "an evaluation may take long";
  recorder.end();
  EXPECT_EQ(post.all<StepBatch>().size(), 3u);
}

TEST(StepRecorder, TracesTheBucketsOfSomeSteps) {
  const MadePost post;
  StepRecorder recorder(*post);
  for (int64_t step = 1; step <= 30; ++step) {
    StepSeen seen = step_seen(step);
    seen.times.buckets = {{0.1, 0.2, 0.3, 100}};
    seen.times.tuning = step <= 10;
    if (step == 30) seen.times.buckets.resize(StepTrace::kMaxBuckets + 1);
    recorder.step(seen);
  }
  const auto traces = post.all<StepTrace>();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].step, 20);
  EXPECT_EQ(traces[0].use, StepTrace::kExchange);
  EXPECT_EQ(traces[0].times.buckets.size(), 1u);
}

}  // namespace
}  // namespace verbund
