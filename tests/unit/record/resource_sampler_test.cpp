// SPDX-License-Identifier: Apache-2.0
#include "record/resource_sampler.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/made_post.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

TEST(Rates, ACounterBecomesAChangePerSecond) {
  Rates rates({ResourceSource::kCounted, ResourceSource::kNow});
  EXPECT_FALSE(rates.row(10, {100, 7}));
  EXPECT_THAT(rates.row(12, {130, 8}).value(), ElementsAre(15, 8));
  EXPECT_THAT(rates.row(12.5, {130, 9}).value(), ElementsAre(0, 9));
}

TEST(Rates, WhatHasGoneBackOrWasNotReadHasNoValue) {
  Rates rates({ResourceSource::kCounted, ResourceSource::kNow});
  EXPECT_FALSE(rates.row(1, {100, NAN}));
  EXPECT_THAT(rates.row(2, {50, NAN}).value(), ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(rates.row(3, {NAN, 1}).value(), ElementsAre(IsNan(), 1));
  EXPECT_THAT(rates.row(4, {70, 1}).value(), ElementsAre(IsNan(), 1));
  EXPECT_THAT(rates.row(5, {80, 1}).value(), ElementsAre(10, 1));
  EXPECT_THAT(rates.row(5, {90, 1}).value(), ElementsAre(IsNan(), 1)) << "no time has passed";
}

TEST(ClockNotes, AreMadeWhenTheClockIsKnownAndWhenItChangesByMoreThanIsUnsure) {
  ClockNotes notes;
  EXPECT_FALSE(notes.is_news({})) << "nothing is known yet";
  EXPECT_TRUE(notes.is_news({0.001, 0.01}));
  EXPECT_FALSE(notes.is_news({0.010, 0.01}));
  EXPECT_FALSE(notes.is_news({0.0105, 0.0001})) << "within the bound of what was noted";
  EXPECT_TRUE(notes.is_news({0.020, 0.0001}));
}

std::vector<ResourceSource> made_sources(std::atomic<int>& reads) {
  ResourceSource none;
  ResourceSource one = {{{{"made.now", "", ""}, ResourceSource::kNow}, {{"made.lost", "", ""}, ResourceSource::kNow}},
                        [&](std::span<double> values) { values[0] = ++reads; }};
  return {none, one};
}

void wait_for(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(ResourceSampler, SendsTheHeaderThenRows) {
  MadePost post(2, "b", 5);
  post.set_clock({0.5, 0.25});
  std::atomic<int> reads = 0;
  ResourceSampler sampler(*post, made_sources(reads), 0.001);
  wait_for([&] { return post.all<ResourceRow>().size() > 130; });
  sampler.end();
  const size_t sent = post.sent().size();
  const auto headers = post.all<ResourceHeader>();
  EXPECT_GE(headers.size(), 3u) << "again and again: the first may be lost";
  EXPECT_EQ(headers[0].rank, 2);
  EXPECT_EQ(headers[0].host, "b");
  EXPECT_EQ(headers[0].start, 5u);
  ASSERT_EQ(headers[0].columns.size(), 4u);
  EXPECT_EQ(headers[0].columns[2].name, "clock.offset");
  const auto rows = post.all<ResourceRow>();
  EXPECT_EQ(rows[0].time, 1.7e9);
  EXPECT_THAT(rows[0].values, ElementsAre(2, IsNan(), 0.5F, 0.25F)) << "the first reading makes no row";
  EXPECT_THAT(rows[1].values[0], 3);
  sampler.end();
  EXPECT_EQ(post.sent().size(), sent);
}

TEST(ResourceSampler, ARunShorterThanAnIntervalHasARow) {
  MadePost post;
  std::atomic<int> reads = 0;
  ResourceSampler sampler(*post, made_sources(reads), 1000);
  wait_for([&] { return reads == 1; });
  wait_for([&] {
    sampler.pause();
    return reads == 2;
  });
  sampler.pause();
  sampler.end();
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(post.all<ResourceHeader>().size(), 1u);
  ASSERT_EQ(post.all<ResourceRow>().size(), 1u);
  EXPECT_EQ(post.all<ResourceRow>()[0].values[0], 2);
}

TEST(ResourceSampler, NotesTheClockOnce) {
  MadePost post(2, "b"), leader(0, "a");
  post.set_clock({0.5, 0.25});
  leader.set_clock({0, 0});
  std::atomic<int> reads = 0;
  {
    ResourceSampler sampler(*post, made_sources(reads), 0.001), first(*leader, made_sources(reads), 0.001);
    wait_for([&] { return post.all<ResourceRow>().size() > 3 && leader.all<ResourceRow>().size() > 3; });
  }
  const auto events = post.all<OwnEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].event.event, "clock");
  EXPECT_EQ(events[0].event.details.at("worker"), 2);
  EXPECT_EQ(events[0].event.details.at("offset"), 0.5);
  EXPECT_EQ(events[0].event.details.at("bound"), 0.25);
  EXPECT_TRUE(leader.all<OwnEvent>().empty()) << "its clock is the run's";
}

TEST(ResourceSampler, OfThisMachine) {
  MadePost post;
  ResourceSampler sampler(*post, resource_sources(true), 0.01);
  wait_for([&] { return !post.all<ResourceRow>().empty(); });
  sampler.end();
  const auto header = post.all<ResourceHeader>().at(0);
  EXPECT_EQ(header.columns.size(), post.all<ResourceRow>()[0].values.size());
  EXPECT_GE(header.columns.size(), 10u);
}

}  // namespace
}  // namespace verbund
