// SPDX-License-Identifier: Apache-2.0
#include "record/history.h"

#include <gmock/gmock.h>

#include <thread>

#include "record/exchange_trace.h"
#include "support/made_post.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

const std::string kSave =
    R"({"time":"2026-01-01T00:00:00Z","at":12.5,"event":"save","rank":0,"host":"a","step":400,"start":1,"seconds":0.5})"
    "\n";

TEST(History, IsReadWithItsDetails) {
  const TemporaryFolder folder;
  const History history = read_history(folder.write("history.jsonl", kSave));
  ASSERT_EQ(history.events.size(), 1u);
  const HistoryEvent& event = history.events[0];
  EXPECT_EQ(event.at, 12.5);
  EXPECT_EQ(event.event, "save");
  EXPECT_EQ(event.host, "a");
  EXPECT_EQ(event.step, 400);
  EXPECT_EQ(event.start, 1u);
  EXPECT_EQ(event.line.at("seconds"), 0.5);
  EXPECT_EQ(history.damaged, 0u);
  EXPECT_TRUE(read_history(folder / "none").events.empty());
}

TEST(History, DamagedLinesAreSkippedAndCountedButNotALastOneThatWasCut) {
  const TemporaryFolder folder;
  const std::string no_time = R"({"event":"save"})", wrong_kind = R"({"at":"x","event":1})";
  const std::string text =
      kSave + std::string("\0\0\n", 3) + no_time + "\n" + wrong_kind + "\n[1]\n" + kSave + kSave.substr(0, 30);
  const History history = read_history(folder.write("history.jsonl", text));
  EXPECT_EQ(history.events.size(), 2u);
  EXPECT_EQ(history.damaged, 4u);
  // A whole one that only lacks its end is there.
  EXPECT_EQ(read_history(folder.write("b", kSave.substr(0, kSave.size() - 1))).events.size(), 1u);
}

TEST(HistoryWriter, WritesALineForEachEvent) {
  const TemporaryFolder folder;
  MadePost post(0, "a", 2);
  post.time = 1763314512.123;
  HistoryWriter(folder.path(), *post).event({.event = "save", .step = 400, .details = {{"seconds", 0.5}}});
  EXPECT_EQ(slurp(folder / "history.jsonl"),
            R"({"time":"2025-11-16T17:35:12Z","at":1763314512.123,"event":"save","rank":0,"host":"a","step":400,)"
            R"("start":2,"seconds":0.5})"
            "\n");
}

TEST(HistoryWriter, GoesOnAfterALineThatWasCut) {
  const TemporaryFolder folder;
  const MadePost post;
  folder.write("history.jsonl", "{\"time\":\"2026-");
  HistoryWriter(folder.path(), *post).event({.event = "resume", .step = 1});
  const History history = read_history(folder / "history.jsonl");
  ASSERT_EQ(history.events.size(), 1u);
  EXPECT_EQ(history.events[0].event, "resume");
  EXPECT_EQ(history.damaged, 1u);
}

TEST(HistoryWriter, WhatTheWatchdogSaysHasTheLastKnownStepAndTheMessage) {
  const TemporaryFolder folder;
  const MadePost post;
  HistoryWriter writer(folder.path(), *post);
  writer.event({.event = "save", .step = 40});
  writer.event({.event = "stall", .step = -1, .line = "worker 1 on b is late"});
  const History history = read_history(folder / "history.jsonl");
  ASSERT_EQ(history.events.size(), 2u);
  EXPECT_EQ(history.events[1].step, 40);
  EXPECT_EQ(history.events[1].line.at("message"), "worker 1 on b is late");
}

TEST(HistoryWriter, HostileTextAndKeysStayInTheirPlace) {
  const TemporaryFolder folder;
  const MadePost post(0, "a\"\n\xff<script>");
  HistoryWriter(folder.path(), *post)
      .event({.event = "fail", .step = 1, .details = {{"reason", "\xc3(\n"}, {"rank", 99}, {"event", "finish"}}});
  const History history = read_history(folder / "history.jsonl");
  ASSERT_EQ(history.events.size(), 1u);
  EXPECT_EQ(history.events[0].event, "fail");
  EXPECT_EQ(history.events[0].rank, 0);
  EXPECT_EQ(history.damaged, 0u);
}

TEST(HistoryWriter, IsForAnyThread) {
  const TemporaryFolder folder;
  const MadePost post;
  HistoryWriter writer(folder.path(), *post);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int step = 0; step < 50; ++step) writer.event({.event = "save", .step = step});
    });
  }
  for (std::thread& thread : threads) thread.join();
  const History history = read_history(folder / "history.jsonl");
  EXPECT_EQ(history.events.size(), 200u);
  EXPECT_EQ(history.damaged, 0u);
}

TEST(ExchangeTrace, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const ExchangeTrace trace = {10,  2,    3,   1763314512.123456,
                               0.2, 0.05, 0.3, {{0.1, 0.125, 0.15, 1048576}, {0.2, 0.2, 0.25, 7}}};
  const std::filesystem::path path =
      folder.write("exchange.jsonl", to_json_line(trace) + "\n" + "{\"step\":1}\n{\"ste");
  const ExchangeTraces read = read_exchange(path);
  EXPECT_EQ(read.damaged, 1u);
  ASSERT_EQ(read.traces.size(), 1u);
  const ExchangeTrace& found = read.traces[0];
  EXPECT_EQ(found.step, 10);
  EXPECT_EQ(found.start, 2u);
  EXPECT_EQ(found.rank, 3);
  EXPECT_DOUBLE_EQ(found.began, trace.began);
  EXPECT_EQ(found.compute, 0.2);
  EXPECT_EQ(found.exposed, 0.05);
  EXPECT_EQ(found.seconds, 0.3);
  ASSERT_EQ(found.buckets.size(), 2u);
  EXPECT_EQ(found.buckets[0].begin, 0.125);
  EXPECT_EQ(found.buckets[1].ready, 0.2);
  EXPECT_EQ(found.buckets[1].end, 0.25);
  EXPECT_EQ(found.buckets[0].bytes, 1048576u);
}

TEST(ExchangeTrace, OftenAtFirstThenSeldomNeverWhileTuning) {
  StepTimes times;
  times.buckets.resize(1);
  EXPECT_TRUE(is_traced(10, times));
  EXPECT_FALSE(is_traced(11, times));
  EXPECT_TRUE(is_traced(1000, times));
  EXPECT_FALSE(is_traced(1010, times));
  EXPECT_TRUE(is_traced(1100, times));
  times.tuning = true;
  EXPECT_FALSE(is_traced(10, times));
  times = {};
  EXPECT_FALSE(is_traced(10, times)) << "one worker has nothing to exchange";
}

}  // namespace
}  // namespace verbund
