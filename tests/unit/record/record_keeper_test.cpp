// SPDX-License-Identifier: Apache-2.0
#include "record/record_keeper.h"

#include <gmock/gmock.h>

#include <thread>

#include "core/log.h"
#include "record/exchange_trace.h"
#include "record/history.h"
#include "support/failing_file_system.h"
#include "support/made_post.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

class RecordKeeping : public ::testing::Test {
 protected:
  static StepBatch steps(int64_t first, int64_t count) {
    StepBatch batch;
    for (int64_t step = first; step < first + count; ++step) batch.records.push_back({.step = step});
    return batch;
  }
  static ResourceHeader header(int rank) { return {rank, "b", 3, {{"x", "", ""}, {"y", "", ""}}}; }

  void send(int rank, const RecordMessage& message, uint64_t dropped = 0) {
    keeper_.receive(rank, encode(message), dropped);
  }
  History history() const { return read_history(folder_ / "history.jsonl"); }

  const TemporaryFolder folder_;
  MadePost post_{0, "a", 3};
  HistoryWriter history_{folder_.path(), *post_};
  RecordKeeper keeper_{folder_.path(), *post_, two(), history_, StepWindow{5, 6}};

 private:
  static std::vector<Worker> two() {
    std::vector<Worker> both(2);
    both[1].rank = 1;
    both[0].host = "a";
    both[1].host = "b";
    return both;
  }
};

TEST_F(RecordKeeping, EachWorkersStepsHaveAFile) {
  send(0, steps(1, 2));
  send(1, steps(1, 3));
  send(0, steps(3, 1));
  EXPECT_EQ(StepRecords(step_records_path(folder_.path(), 0)).size(), 3u);
  EXPECT_EQ(StepRecords(step_records_path(folder_.path(), 1)).size(), 3u);
}

TEST_F(RecordKeeping, ResourcesAreWrittenOnceTheirHeaderIsKnown) {
  send(1, ResourceRow{1, {1, 2}});  // its header was lost
  send(1, header(1));
  send(1, ResourceRow{2, {3, 4}});
  send(1, header(1));
  send(1, ResourceRow{3, {5, 6}});
  send(1, ResourceRow{4, {7}});  // of another length
  keeper_.end();
  const Resources read = read_resources(resources_path(folder_.path(), 1, 3));
  EXPECT_EQ(read.header, header(1));
  EXPECT_THAT(read.times, ::testing::ElementsAre(2, 3));
  uint64_t dropped = 0;
  for (const HistoryEvent& event : history().events) dropped += event.line.at("messages").get<uint64_t>();
  EXPECT_EQ(dropped, 2u);
}

TEST_F(RecordKeeping, TracesBecomeLines) {
  StepTrace trace = {StepTrace::kExchange, 10, 3, 1.7e9, {}};
  trace.times.compute = 0.25;
  trace.times.buckets = {{0.1, 0.2, 0.3, 5}};
  send(1, trace);
  const ExchangeTraces read = read_exchange(folder_ / "exchange.jsonl");
  ASSERT_EQ(read.traces.size(), 1u);
  EXPECT_EQ(read.traces[0].rank, 1);
  EXPECT_EQ(read.traces[0].compute, 0.25);
  EXPECT_EQ(read.traces[0].buckets.at(0).bytes, 5u);
}

TEST_F(RecordKeeping, EventsOfOtherWorkersAreInTheHistoryAsTheirs) {
  send(1, OwnEvent{1763314500.5, {.event = "signal", .step = 7, .details = {{"signal", "SIGTERM"}}}});
  ASSERT_EQ(history().events.size(), 1u);
  const HistoryEvent event = history().events[0];
  EXPECT_EQ(event.rank, 1);
  EXPECT_EQ(event.host, "b");
  EXPECT_EQ(event.at, 1763314500.5);
  EXPECT_EQ(event.start, 3u);
  EXPECT_EQ(event.line.at("signal"), "SIGTERM");
}

TEST_F(RecordKeeping, WhatWasDroppedIsNotedAtOnceThenNowAndThenAndAtTheEnd) {
  send(1, steps(1, 1), 3);
  send(1, steps(2, 1), 2);
  post_.time = post_.time + 5;
  send(1, steps(3, 1), 1);
  EXPECT_EQ(history().events.size(), 1u);
  post_.time = post_.time + 6;
  send(1, steps(4, 1), 1);
  send(1, steps(5, 1), 7);
  keeper_.end();
  const History told = history();
  ASSERT_EQ(told.events.size(), 3u);
  std::vector<uint64_t> messages;
  for (const HistoryEvent& event : told.events) {
    EXPECT_EQ(event.event, "dropped");
    EXPECT_EQ(event.line.at("worker"), 1);
    messages.push_back(event.line.at("messages"));
  }
  EXPECT_THAT(messages, ::testing::ElementsAre(3, 4, 7));
  EXPECT_EQ(StepRecords(step_records_path(folder_.path(), 1)).size(), 5u);
}

TEST_F(RecordKeeping, GarbageIsCounted) {
  const std::vector<std::byte> garbage(100, std::byte{42});
  keeper_.receive(1, garbage, 0);
  keeper_.receive(1, {}, 0);
  keeper_.receive(-1, garbage, 0);
  keeper_.receive(2, garbage, 0);
  send(1, header(0));  // another's
  keeper_.end();
  uint64_t messages = 0;
  for (const HistoryEvent& event : history().events) messages += event.line.at("messages").get<uint64_t>();
  EXPECT_EQ(messages, 3u);
  EXPECT_FALSE(fs::exists(resources_path(folder_.path(), 1, 3)));
}

TEST_F(RecordKeeping, TheTimelineIsWrittenWhenAllHaveToldTheirPart) {
  const fs::path path = folder_ / "timeline/steps-5-6.start-3.json";
  StepTrace trace = {StepTrace::kTimeline, 5, 3, 1.7e9, {}};
  trace.times.seconds = 1;
  send(0, trace);
  send(1, trace);
  send(1, TimelineSpan{"save", 6, 1.7e9 + 1, 0.5});
  send(0, TimelineOver{});
  EXPECT_FALSE(fs::exists(path));
  send(1, TimelineOver{});
  ASSERT_TRUE(fs::exists(path));
  EXPECT_THAT(slurp(path), ::testing::AllOf(::testing::HasSubstr("rank 1 on b"), ::testing::HasSubstr("save")));
  EXPECT_FALSE(fs::exists(folder_ / "exchange.jsonl") && fs::file_size(folder_ / "exchange.jsonl") > 0);
}

TEST_F(RecordKeeping, TheTimelineOfAWorkerThatDiedIsWhatItHadSent) {
  StepTrace trace = {StepTrace::kTimeline, 5, 3, 1.7e9, {}};
  trace.times.seconds = 1;
  send(0, trace);
  keeper_.end();
  EXPECT_THAT(slurp(folder_ / "timeline/steps-5-6.start-3.json"),
              ::testing::AllOf(::testing::HasSubstr("rank 0 on a"), ::testing::Not(::testing::HasSubstr("rank 1"))));
}

TEST_F(RecordKeeping, ADiskThatFailsEndsNothing) {
  set_log_level(LogLevel::kWarning);
  int failures = 0;
  for (const Failure failure : kFailures) {
    for (int at = 1; at <= 12; ++at) {
      SCOPED_TRACE(fmt::format("call {}: {}", at, name_of(failure)));
      const TemporaryFolder folder;
      HistoryWriter history(folder.path(), *post_);
      RecordKeeper keeper(folder.path(), *post_, {Worker{}}, history, StepWindow{1, 2});
      FailingFileSystem failing(at, failure);
      {
        const FileSystemInPlace in_place(failing);
        const auto tell = [&](const RecordMessage& message) { keeper.receive(0, encode(message), 0); };
        StepTrace trace = {StepTrace::kTimeline, 1, 3, 1.7e9, {}};
        EXPECT_NO_THROW(tell(steps(1, 3)));
        EXPECT_NO_THROW(tell(ResourceHeader(header(0))));
        EXPECT_NO_THROW(tell(ResourceRow{1, {1, 2}}));
        EXPECT_NO_THROW(tell(trace));
        EXPECT_NO_THROW(tell(steps(4, 1)));
        EXPECT_NO_THROW(keeper.end());
      }
      failures += failing.struck();
      const fs::path path = step_records_path(folder.path(), 0);
      EXPECT_TRUE(!fs::exists(path) || StepRecords(path).size() <= 4u);
    }
  }
  set_log_level(LogLevel::kInfo);
  EXPECT_GE(failures, 30);
}

TEST_F(RecordKeeping, WorkersMaySendAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      for (int64_t step = 1; step <= 100; ++step) send(rank, steps(step, 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  keeper_.end();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(StepRecords(step_records_path(folder_.path(), rank)).size(), 100u);
  }
}

}  // namespace
}  // namespace verbund
