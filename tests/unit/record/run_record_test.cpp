// SPDX-License-Identifier: Apache-2.0
#include "record/run_record.h"

#include <gmock/gmock.h>

#include "core/file.h"
#include "core/wall_clock.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

RunRecord::Start start_at(int64_t step) {
  RunRecord::Start start;
  start.program = "verbund 1";
  start.command = {"verbund", "train", "--run", "a b"};
  start.mpi = "Open MPI v4";
  start.step = step;
  start.hosts[0]["host"] = "a";
  start.dataset["checksum"] = "c";
  return start;
}

TEST(RunRecord, TellsEveryStartAndStop) {
  TemporaryFolder folder;
  const std::string before = utc_time();
  std::string id;
  {
    RunRecord record(folder.path());
    id = record.id();
    record.start(start_at(0));
    record.stop("finished");
    record.stop("too late to be the reason");
  }
  RunRecord again(folder.path());
  EXPECT_EQ(again.id(), id);
  again.start(start_at(10));
  again.stop("stopped by SIGTERM");

  const auto json = read_run_record(folder.path());
  EXPECT_EQ(json.at("id"), id);
  EXPECT_EQ(json.at("start_count"), 2);
  EXPECT_EQ(json.at("dataset").at("checksum"), "c");
  const auto& first = json.at("starts")[0];
  EXPECT_EQ(first.at("command").get<std::vector<std::string>>(), start_at(0).command);
  EXPECT_EQ(first.at("program"), "verbund 1");
  EXPECT_EQ(first.at("mpi"), "Open MPI v4");
  EXPECT_EQ(first.at("folder"), folder.path().string());
  EXPECT_EQ(first.at("hosts")[0].at("host"), "a");
  EXPECT_GE(first.at("time").get<std::string>(), before);
  EXPECT_EQ(first.at("stop").at("reason"), "finished");
  EXPECT_GE(first.at("stop").at("time"), first.at("time"));
  const auto& second = json.at("starts")[1];
  EXPECT_EQ(second.at("step"), 10);
  EXPECT_EQ(second.at("stop").at("reason"), "stopped by SIGTERM");
}

TEST(RunRecord, AStartWithoutAStopWasKilled) {
  TemporaryFolder folder;
  RunRecord(folder.path()).start(start_at(0));
  EXPECT_FALSE(read_run_record(folder.path()).at("starts")[0].contains("stop"));
  write_file(folder / "log.txt", "the last words");
  RunRecord(folder.path()).start(start_at(5));
  const auto stop = read_run_record(folder.path()).at("starts")[0].at("stop");
  EXPECT_NE(stop.at("reason"), "");
  EXPECT_EQ(stop.at("last_sign_of_life"), time_of_file(folder / "log.txt"));
}

TEST(RunRecord, StaysSmall) {
  TemporaryFolder folder;
  RunRecord record(folder.path());
  for (int i = 0; i < 200; ++i) {
    record.start(start_at(i));
    record.stop("finished");
  }
  const auto json = read_run_record(folder.path());
  EXPECT_EQ(json.at("start_count"), 200);
  EXPECT_EQ(json.at("starts").size(), 50u);
  EXPECT_EQ(json.at("starts").front().at("step"), 0);
  EXPECT_EQ(json.at("starts").back().at("step"), 199);
}

TEST(RunRecord, TwoRunsDiffer) {
  TemporaryFolder folder;
  EXPECT_NE(RunRecord(folder.path()).id(), RunRecord(folder.path()).id());
}

TEST(RunRecord, DamageIsNamed) {
  TemporaryFolder folder;
  for (const char* damaged : {"", "{}", R"({"format": "verbund-run", "version": "one"})"}) {
    write_file(folder / "run.json", damaged);
    EXPECT_ERROR(RunRecord(folder.path()), Error, HasSubstr("run.json"));
  }
  write_file(folder / "run.json", R"({"format": "verbund-run", "version": 99})");
  EXPECT_ERROR(RunRecord(folder.path()), Error, HasSubstr("99"));
}

TEST(RunRecord, KeepsWhatEachStartChangedAndWhatTheRunBeganWith) {
  TemporaryFolder folder;
  RunRecord::Start first = start_at(0), second = start_at(10);
  first.started_from = {{"path", "/runs/base"}};
  first.dataset["mixture"] = "a 10 %";
  second.differences = {"the mixture was a 10 %, is now a 50 %"};
  second.dataset["mixture"] = "a 50 %";
  RunRecord(folder.path()).start(first);
  RunRecord(folder.path()).start(second);
  const Json json = read_run_record(folder.path());
  EXPECT_EQ(json.at(kStartedFrom).at("path"), "/runs/base") << "a resume does not change it";
  EXPECT_TRUE(json.at("starts")[0].at("differences").empty());
  EXPECT_EQ(json.at("starts")[1].at("differences")[0], second.differences[0]);
  EXPECT_EQ(json.at("starts")[0].at("mixture"), "a 10 %");
  EXPECT_EQ(json.at("starts")[1].at("mixture"), "a 50 %");
}

}  // namespace
}  // namespace verbund
