// SPDX-License-Identifier: Apache-2.0
#include "record/timeline.h"
#include "core/json.h"

#include <gmock/gmock.h>

#include <cmath>

#include "record/step_recorder.h"
#include "support/made_post.h"

namespace verbund {
namespace {

StepTrace step_at(int64_t step, double began) {
  StepTrace trace = {StepTrace::kTimeline, step, 0, began, {}};
  trace.times.seconds = 1;
  trace.times.waited = 0.1;
  trace.times.compute = 0.5;
  trace.times.backward = 0.3;
  trace.times.exposed = 0.2;
  trace.times.update = 0.15;
  trace.times.buckets = {{0.35, 0.36, 0.5, 1000}, {0.4, 0.5, 0.8, 2000}};
  return trace;
}

std::vector<Worker> workers(const std::vector<std::string>& hosts) {
  std::vector<Worker> all(hosts.size());
  for (size_t i = 0; i < hosts.size(); ++i) {
    all[i].rank = static_cast<int>(i);
    all[i].host = hosts[i];
  }
  return all;
}

struct Event {
  std::string name;
  int64_t begin = 0, end = 0;  // nanoseconds
  Json args;
};
using Track = std::pair<int, int>;

std::map<Track, std::vector<Event>> events_of(const Json& trace) {
  std::map<Track, std::vector<Event>> tracks;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const int64_t begin = std::llround(event.at("ts").get<double>() * 1000);
    const int64_t end = begin + std::llround(event.at("dur").get<double>() * 1000);
    tracks[{event.at("pid"), event.at("tid")}].push_back({event.at("name"), begin, end, event.value("args", Json())});
  }
  return tracks;
}

// Whether of any two events of a track one is within the other, or they have at most their ends in common.
void expect_nested(const Json& trace) {
  for (const auto& [track, events] : events_of(trace)) {
    for (const Event& a : events) {
      EXPECT_LE(a.begin, a.end) << a.name;
      for (const Event& b : events) {
        const bool apart = a.end <= b.begin || b.end <= a.begin;
        const bool within = (a.begin >= b.begin && a.end <= b.end) || (b.begin >= a.begin && b.end <= a.end);
        EXPECT_TRUE(apart || within) << a.name << " and " << b.name << " on track " << track.second;
      }
    }
  }
}

std::map<std::string, std::string> process_names(const Json& trace) {
  std::map<std::string, std::string> names;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") == "process_name") names[event.at("pid").dump()] = event.at("args").at("name");
  }
  return names;
}

TEST(Timeline, HasPhasesWithinTheStepAndBucketsOnTracksOfTheirOwn) {
  Timeline timeline;
  timeline.add(1, step_at(12, 1.7e9));
  const Json trace = parse_json(timeline.json(workers({"a", "b"})));
  expect_nested(trace);
  const auto tracks = events_of(trace);
  ASSERT_EQ(tracks.size(), 3u);
  const auto& steps = tracks.at({1, 0});
  std::vector<std::string> names;
  std::vector<int64_t> begins;
  for (const Event& event : steps) {
    names.push_back(event.name);
    begins.push_back(event.begin / 1000000);
  }
  EXPECT_THAT(names,
              ::testing::ElementsAre("step 12", "data", "forward", "backward", "waiting for the exchange", "update"));
  EXPECT_THAT(begins, ::testing::ElementsAre(0, 0, 100, 300, 600, 800));
  EXPECT_EQ(steps[0].end, 1000000000);
  EXPECT_EQ(steps[5].end, 950000000);
  const Event& bucket = tracks.at({1, 2}).at(0);
  EXPECT_EQ(bucket.begin, 500000000);
  EXPECT_EQ(bucket.end, 800000000);
  EXPECT_EQ(bucket.args.at("bytes"), 2000);
  EXPECT_EQ(bucket.args.at("step"), 12);
  EXPECT_EQ(process_names(trace), (std::map<std::string, std::string>{{"1", "rank 1 on b"}}))
      << "of worker 0 nothing was heard";
}

TEST(Timeline, AllWorkersAreOnOneClock) {
  Timeline timeline;
  timeline.add(0, step_at(1, 1.7e9 + 0.25));
  timeline.add(1, step_at(1, 1.7e9));
  const Json trace = parse_json(timeline.json(workers({"a", "b"})));
  EXPECT_EQ(events_of(trace).at({0, 0})[0].begin, 250000000);
  EXPECT_EQ(events_of(trace).at({1, 0})[0].begin, 0);
  EXPECT_EQ(trace.at("otherData").at("began"), "1700000000.000000");
}

TEST(Timeline, EventsNestThoughClocksAreCorrectedInBetween) {
  Timeline timeline;
  timeline.add(0, step_at(2, 1.7e9 + 0.9));  // before the end of step 1
  timeline.add(0, step_at(1, 1.7e9));
  timeline.add(0, TimelineSpan{"evaluation", 2, 1.7e9 + 1.85, 10});
  timeline.add(0, TimelineSpan{"save", 2, 1.7e9 + 11, 3});
  StepTrace odd = step_at(3, 1.7e9 + 20);
  odd.times.backward = 0;        // not told
  odd.times.update = 5;          // longer than the step
  odd.times.buckets[0].end = 3;  // beyond the step, into the next one's
  timeline.add(0, odd);
  timeline.add(0, step_at(4, 1.7e9 + 21));
  const Json trace = parse_json(timeline.json(workers({"a"})));
  expect_nested(trace);
  const auto steps = events_of(trace).at({0, 0});
  EXPECT_NEAR(static_cast<double>(steps[0].end), 9e8, 1000);
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(), [](const Event& e) { return e.name == "evaluation"; }), 1);
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(), [](const Event& e) { return e.name == "forward and backward"; }),
            1);
}

TEST(Timeline, WhatIsNoTimeIsLeftOut) {
  Timeline timeline;
  for (const double began : {double{NAN}, -1.0, 1e300, double{INFINITY}}) timeline.add(0, step_at(1, began));
  StepTrace trace = step_at(2, 1.7e9);
  trace.times.seconds = NAN;
  timeline.add(0, trace);
  timeline.add(0, TimelineSpan{"save", 1, 1.7e9, -1});
  EXPECT_TRUE(timeline.empty());
  trace = step_at(3, 1.7e9);
  trace.times.waited = NAN;
  trace.times.exposed = -5;
  trace.times.buckets[0].begin = INFINITY;
  trace.times.buckets[1].ready = 99;
  timeline.add(0, trace);
  trace = step_at(4, 1.7e9 + 1);
  trace.times.compute = -0.05;
  timeline.add(0, trace);
  const Json json = parse_json(timeline.json(workers({"a"})));
  expect_nested(json);
  EXPECT_EQ(events_of(json).size(), 3u);
  EXPECT_TRUE(Json::accept(Timeline().json({})));
}

TEST(Timeline, HostileNamesStayNames) {
  const std::string host = "a\"}],\n\\u0000</script>\xff";
  Timeline timeline;
  timeline.add(0, step_at(1, 1.7e9));
  timeline.add(0, TimelineSpan{"\",\"ph\":\"B", 1, 1.7e9 + 2, 1});
  const Json trace = parse_json(timeline.json(workers({host})));
  expect_nested(trace);
  EXPECT_EQ(process_names(trace).at("0"), "rank 0 on a\"}],\n\\u0000</script>\xef\xbf\xbd");
  EXPECT_EQ(events_of(trace).at({0, 0}).back().name, "\",\"ph\":\"B");
}

StepSeen seen(int64_t step) {
  StepSeen made;
  made.step = step;
  made.began = 1.7e9 + static_cast<double>(step);
  made.times.seconds = 0.5;
  return made;
}

TEST(TimelineRecorder, SendsTheStepsOfItsWindowAndTheEnd) {
  const MadePost post(1);
  TimelineRecorder recorder({3, 4}, *post);
  recorder.begin(-1);
  for (int64_t step = 1; step <= 4; ++step) recorder.step(seen(step));
  EXPECT_TRUE(post.all<TimelineOver>().empty());
  recorder.event({.event = "save", .step = 4, .details = {{"began", 1.7e9}, {"seconds", 0.5}}});
  recorder.event({.event = "evaluation", .step = 2, .details = {{"began", 1.7e9}, {"seconds", 0.5}}});
  recorder.event({.event = "evaluation", .step = 4, .details = {{"seconds", 0.5}}});  // when?
  recorder.event({.event = "signal", .step = 4, .details = {{"began", 1.7e9}, {"seconds", 0.5}}});
  for (int64_t step = 5; step <= 6; ++step) recorder.step(seen(step));
  recorder.end();
  const auto traces = post.all<StepTrace>();
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].step, 3);
  EXPECT_EQ(traces[1].step, 4);
  EXPECT_EQ(traces[0].use, StepTrace::kTimeline);
  ASSERT_EQ(post.all<TimelineSpan>().size(), 1u);
  EXPECT_EQ(post.all<TimelineSpan>()[0].name, "save");
  EXPECT_EQ(post.all<TimelineOver>().size(), 1u);
}

TEST(TimelineRecorder, AfterItsWindowNothingIsSent) {
  const MadePost post;
  TimelineRecorder recorder({3, 4}, *post);
  recorder.begin(10);
  recorder.step(seen(11));
  recorder.end();
  EXPECT_TRUE(post.sent().empty());
  recorder.begin(2);  // a roll-back: once more
  recorder.step(seen(3));
  recorder.end();
  EXPECT_EQ(post.sent().size(), 2u);
}

}  // namespace
}  // namespace verbund
