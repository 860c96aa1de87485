// SPDX-License-Identifier: Apache-2.0
// The command of --on-alert, with its process; and the observer that looks for alerts.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "alert/alert_watch.h"
#include "core/elapsed.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines_in(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// What the commands have written, once there are so many lines.
std::vector<std::string> wait_for_lines(const fs::path& path, size_t count) {
  const double until = monotonic_seconds() + 60;
  while (lines_in(path).size() < count && monotonic_seconds() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return lines_in(path);
}

std::string text_in(const fs::path& path) {
  std::string text;
  for (const std::string& line : lines_in(path)) text += line + "\n";
  return text;
}

std::vector<std::string> wait_for_trouble(AlertCommand& command) {
  const double until = monotonic_seconds() + 60;
  while (monotonic_seconds() < until) {
    if (std::vector<std::string> troubles = command.take_troubles(); !troubles.empty()) return troubles;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

// A command that appends its variables to a file.
std::string telling(const fs::path& file) {
  return "echo \"$VERBUND_ALERT_KIND|$VERBUND_ALERT_STEP|$VERBUND_ALERT_TEXT|$VERBUND_ALERT_RUN\" >> " + file.string();
}

TEST(AlertCommand, GetsTheAlertInItsEnvironment) {
  const TemporaryFolder folder;
  AlertCommand command(telling(folder / "told") + "; echo it was told");
  command.begin(folder.path());
  command.tell({"disk", "A \"quoted\" $(text)\nof two lines"}, 7);
  command.tell({"stalled", "b"}, 8);
  command.end();
  const std::vector<std::string> told = wait_for_lines(folder / "told", 2);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], testing::StartsWith("disk|7|A \"quoted\" $(text)"));
  EXPECT_THAT(told[0], testing::EndsWith("of two lines|" + folder.path().string()));
  EXPECT_EQ(told[1], "stalled|8|b|" + folder.path().string());
  wait_for_lines(folder / "log.txt", 6);
  EXPECT_THAT(text_in(folder / "log.txt"), HasSubstr("it was told"));
  EXPECT_TRUE(command.take_troubles().empty());
}

TEST(AlertCommand, OneThatFailsOrHangsIsATroubleAndNothingElse) {
  const TemporaryFolder folder;
  AlertLimits limits;
  limits.seconds = 0.5;
  {
    AlertCommand command("no-such-command-at-all", limits);
    command.begin(folder.path());
    command.tell({"disk", "x"}, 1);
    EXPECT_THAT(wait_for_trouble(command), ElementsAre(HasSubstr("127")));
    command.end();
  }
  {
    AlertCommand command("exit 3", limits);
    command.begin(folder.path());
    command.tell({"disk", "x"}, 1);
    EXPECT_THAT(wait_for_trouble(command), ElementsAre(HasSubstr("3")));
    command.end();
  }
  {
    AlertCommand command("sleep 1000 & sleep 1000", limits);
    command.begin(folder.path());
    const double began = monotonic_seconds();
    for (int i = 0; i < 10'000; ++i) command.tell({"disk", std::string(5000, 'x')}, 1);
    EXPECT_LT(monotonic_seconds() - began, 20) << "nobody waits for the command";
    EXPECT_THAT(wait_for_trouble(command), testing::Not(testing::IsEmpty()));
    command.end();
  }
}

TEST(AlertCommand, ARunThatEndsWithoutAWordIsTold) {
  const TemporaryFolder folder;
  {
    AlertCommand command(telling(folder / "told"));
    command.begin(folder.path());
    command.alive(42);
  }
  const std::vector<std::string> told = wait_for_lines(folder / "told", 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], testing::StartsWith("lost|42|"));
}

TEST(AlertCommand, ARunThatSaysItsEndOrNeverBeganIsNotTold) {
  const TemporaryFolder folder;
  { const AlertCommand command(telling(folder / "never")); }
  {
    AlertCommand command(telling(folder / "ended"));
    command.begin(folder.path());
    command.end();
  }
  {  // when this one has told, the others would have, too
    AlertCommand command(telling(folder / "told"));
    command.begin(folder.path());
  }
  EXPECT_EQ(wait_for_lines(folder / "told", 1).size(), 1U);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(fs::exists(folder / "never"));
  EXPECT_FALSE(fs::exists(folder / "ended"));
}

TEST(AlertCommand, AFrozenTrainingIsTold) {
  const TemporaryFolder folder;
  AlertLimits limits;
  limits.quiet = 0.2;
  AlertCommand command(telling(folder / "told"), limits);
  command.begin(folder.path());
  command.alive(5);
  const std::vector<std::string> told = wait_for_lines(folder / "told", 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], testing::StartsWith("stalled|5|"));
  command.end();
}

class AlertWatchTest : public testing::Test {
 protected:
  AlertWatchTest() : command(telling(folder / "told")) {
    watch.emplace(command, AlertWatch::Watched{folder.path()}, 0.05);
  }

  std::vector<std::string> kinds(size_t count) const {
    std::vector<std::string> kinds;
    for (const std::string& line : wait_for_lines(folder / "told", count))
      kinds.push_back(line.substr(0, line.find('|')));
    return kinds;
  }
  void evaluate(int64_t step, double bleu) { watch->metrics({{"step", step}, {"dev_bleu", bleu}}); }

  const TemporaryFolder folder;
  AlertCommand command;
  std::optional<AlertWatch> watch;
};

TEST_F(AlertWatchTest, EachKindIsToldOnceAndAnEarlierPartOfTheRunCounts) {
  {
    std::ofstream file(folder / "metrics.jsonl");
    for (int step = 1; step <= 5; ++step) file << "{\"step\":" << step << ",\"dev_bleu\":" << 20 - step << "}\n";
  }
  watch->begin(5);
  for (int step = 6; step <= 11; ++step) evaluate(step, 5);
  EXPECT_THAT(kinds(1), ElementsAre("no_improvement"));
  for (int step = 12; step <= 20; ++step) evaluate(step, 5);
  watch->event({"stall", -1, {{"message", "worker 1 is late"}}});
  EXPECT_THAT(kinds(2), ElementsAre("no_improvement", "stalled"));
  watch->end();
  EXPECT_THAT(kinds(2), ElementsAre("no_improvement", "stalled"));
}

TEST_F(AlertWatchTest, ARollBackAndADivergenceThatEndsTheRunAreTold) {
  watch->begin(-1);
  watch->event({"diverged", 9, {{"reason", "the loss is nan"}}});
  watch->event({"roll_back", 5, Json::object()});
  EXPECT_THAT(kinds(1), ElementsAre("diverging"));
  watch->event({"diverged", 9, {{"reason", "the loss is nan"}}});
  watch->event({"fail", 9, {{"reason", "training diverged at step 10: try this and that"}}});
  EXPECT_THAT(kinds(2), ElementsAre("diverging", "diverged"));
  watch->end();
  watch.reset();
}

TEST_F(AlertWatchTest, ALostWorkerIsToldThoughNobodyCallsEnd) {
  watch->begin(-1);
  watch->event({"lost_worker", -1, {{"message", "lost worker 1 on beta"}}});
  const std::vector<std::string> told = wait_for_lines(folder / "told", 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], testing::StartsWith("lost|0|"));
  EXPECT_THAT(told[0], HasSubstr("worker 1 on beta"));
}

TEST_F(AlertWatchTest, AFailureIsToldAndAGoodEndIsNot) {
  watch->begin(-1);
  watch->event({"fail", 3, {{"reason", "cannot write"}}});
  watch->end();
  EXPECT_THAT(kinds(1), ElementsAre("failed"));
  AlertCommand other(telling(folder / "other"));
  AlertWatch good(other, {folder.path()}, 0.05);
  good.begin(-1);
  good.event({"finish", 10});
  good.end();
  EXPECT_FALSE(fs::exists(folder / "other"));
}

}  // namespace
}  // namespace verbund
