// SPDX-License-Identifier: Apache-2.0
#include "record/record_message.h"

#include <gmock/gmock.h>

#include "core/random.h"

namespace verbund {
namespace {

StepTrace trace_with(size_t buckets) {
  StepTrace trace = {StepTrace::kTimeline, 7, 2, 1.7e9, {}};
  trace.times.seconds = 1;
  trace.times.waited = 0.1;
  trace.times.compute = 0.5;
  trace.times.exposed = 0.2;
  trace.times.update = 0.15;
  trace.times.exchange = 0.4;
  trace.times.backward = 0.3;
  for (size_t i = 0; i < buckets; ++i) trace.times.buckets.push_back({0.1, 0.2, 0.3, 1000 + i});
  return trace;
}

std::vector<RecordMessage> one_of_each() {
  return {StepBatch{{StepRecord{.step = 5, .loss = 2.5F}, StepRecord{.step = 6}}},
          ResourceHeader{1, "b", 3, {{"a", "b", "c"}}},
          ResourceRow{1.5, {1, 2, 3}},
          trace_with(3),
          TimelineSpan{"save", 9, 1.25, 0.5},
          TimelineOver{},
          OwnEvent{2.5, {.event = "signal", .step = 4, .details = {{"signal", "SIGTERM"}}}}};
}

template <typename Kind>
Kind there_and_back(const Kind& message) {
  return std::get<Kind>(decode(encode(message)).value());
}

TEST(RecordMessage, EachKindArrivesAsItWasSent) {
  const StepBatch batch = there_and_back(std::get<StepBatch>(one_of_each()[0]));
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[0].step, 5);
  EXPECT_EQ(batch.records[0].loss, 2.5F);
  EXPECT_EQ(batch.records[1].step, 6);
  const auto header = std::get<ResourceHeader>(one_of_each()[1]);
  EXPECT_EQ(there_and_back(header), header);
  const ResourceRow row = there_and_back(ResourceRow{1.5, {1, 2, 3}});
  EXPECT_EQ(row.time, 1.5);
  EXPECT_THAT(row.values, ::testing::ElementsAre(1, 2, 3));
  const TimelineSpan span = there_and_back(TimelineSpan{"save", 9, 1.25, 0.5});
  EXPECT_EQ(span.name, "save");
  EXPECT_EQ(span.step, 9);
  EXPECT_EQ(span.began, 1.25);
  EXPECT_EQ(span.seconds, 0.5);
  const OwnEvent own = there_and_back(std::get<OwnEvent>(one_of_each()[6]));
  EXPECT_EQ(own.at, 2.5);
  EXPECT_EQ(own.event.event, "signal");
  EXPECT_EQ(own.event.step, 4);
  EXPECT_EQ(own.event.details.at("signal"), "SIGTERM");
}

TEST(RecordMessage, AStepInDetail) {
  const StepTrace trace = there_and_back(trace_with(3));
  EXPECT_EQ(trace.use, StepTrace::kTimeline);
  EXPECT_EQ(trace.step, 7);
  EXPECT_EQ(trace.start, 2u);
  EXPECT_EQ(trace.began, 1.7e9);
  EXPECT_EQ(trace.times.seconds, 1);
  EXPECT_EQ(trace.times.waited, 0.1);
  EXPECT_EQ(trace.times.compute, 0.5);
  EXPECT_EQ(trace.times.exposed, 0.2);
  EXPECT_EQ(trace.times.update, 0.15);
  EXPECT_EQ(trace.times.exchange, 0.4);
  EXPECT_EQ(trace.times.backward, 0.3);
  ASSERT_EQ(trace.times.buckets.size(), 3u);
  EXPECT_EQ(trace.times.buckets[2].ready, 0.1);
  EXPECT_EQ(trace.times.buckets[2].end, 0.3);
  EXPECT_EQ(trace.times.buckets[2].bytes, 1002u);
}

TEST(RecordMessage, HasAnEnd) {
  EXPECT_LT(encode(trace_with(StepTrace::kMaxBuckets)).size(), 64u * 1024);
  EXPECT_TRUE(there_and_back(trace_with(StepTrace::kMaxBuckets + 1)).times.buckets.empty());
}

TEST(RecordMessage, WhatIsCutOrHasMoreAtItsEndIsNone) {
  for (const RecordMessage& message : one_of_each()) {
    std::vector<std::byte> bytes = encode(message);
    ASSERT_TRUE(decode(bytes)) << message.index();
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode(std::span(bytes).first(size))) << message.index() << " cut to " << size;
    }
    bytes.push_back({});
    EXPECT_FALSE(decode(bytes)) << message.index();
  }
}

// Any bytes: decoded or not, nothing is read that is not there, and no memory is asked for that it does not fill.
TEST(RecordMessage, AnyBytesAreSurvived) {
  Random random(1, 2);
  for (const RecordMessage& message : one_of_each()) {
    const std::vector<std::byte> bytes = encode(message);
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::byte> changed = bytes;
      for (int i = 0; i < 3; ++i) changed[random.below(changed.size())] = static_cast<std::byte>(random.below(256));
      (void)decode(changed);
    }
  }
}

}  // namespace
}  // namespace verbund
