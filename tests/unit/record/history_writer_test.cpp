#include "record/history_writer.h"

#include <gmock/gmock.h>

#include <thread>

#include "support/made_post.h"
#include "support/temporary_folder.h"
#include "record/history.h"

namespace verbund {
namespace {

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

TEST(HistoryWriter, WhatTheWatchSaysHasTheLastKnownStepAndTheMessage) {
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

}  // namespace
}  // namespace verbund
