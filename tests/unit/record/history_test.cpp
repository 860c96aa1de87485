#include "record/history.h"

#include <gmock/gmock.h>

#include "support/temporary_folder.h"
#include "record/exchange_trace.h"

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
