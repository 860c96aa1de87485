// SPDX-License-Identifier: Apache-2.0
// The run folder, and the files of a run through every failure of the file system.
#include "train/run_keeper.h"

#include <gmock/gmock.h>

#include <thread>

#include "core/file.h"
#include "record/metrics_writer.h"
#include "support/expect_error.h"
#include "support/failure_walk.h"
#include "support/temporary_folder.h"
#include "train/request_checks.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RunFolder, NoticesThatItWasMoved) {
  TemporaryFolder folder;
  const fs::path run = folder / "run", moved = folder / "moved";
  const RunFolder here(run, false);
  here.check_in_place();
  fs::rename(run, moved);
  const auto names_both = AllOf(HasSubstr(run.string()), HasSubstr("--run " + moved.string()));
  EXPECT_ERROR(here.check_in_place(), Error, names_both);
  fs::create_directory(run);  // another one in its place
  EXPECT_ERROR(here.check_in_place(), Error, names_both);
  fs::remove(run);
  fs::rename(moved, run);
  here.check_in_place();
}

TEST(RunFolder, NoticesThatItWasRemoved) {
  TemporaryFolder folder;
  const fs::path run = folder / "run";
  const RunFolder here(run, false);
  fs::remove(run);
  EXPECT_ERROR(here.check_in_place(), Error, HasSubstr(run.string()));
}

TEST(RunFolder, MayBeReachedThroughALink) {
  TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  RunFolder(folder / "link", false).check_in_place();
}

TEST(RunFolder, ThatARestartContinuesHasARun) {
  TemporaryFolder folder;
  const fs::path run = folder / "run";
  EXPECT_ERROR(check_continued_run(run, "host-b"), Error, AllOf(HasSubstr(run.string()), HasSubstr("host-b")));
  EXPECT_FALSE(fs::exists(run));
  fs::create_directory(run);
  folder.write("run/run.json", "{}");
  check_continued_run(run, "host-b");
}

TEST(RunFolder, WaitsForAnotherTrainerForAWhile) {
  TemporaryFolder folder;
  const fs::path run = folder / "run";
  auto other = std::make_unique<RunFolder>(run, false);
  EXPECT_ERROR(RunFolder(run, false, std::chrono::seconds(0)), Error, HasSubstr(run.string()));
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    other.reset();
  });
  RunFolder(run, false, std::chrono::seconds(30)).check_in_place();
  ends.join();
}

TEST(RunFailures, MetricsOfLaterStepsAreForgotten) {
  walk_failures(
      {.prepare =
           [](const fs::path& folder) { write_file(folder / "metrics.jsonl", "{\"step\": 5}\n{\"step\": 6}\n"); },
       .work = [](const fs::path& folder) { MetricsWriter(folder, 0).begin(5); }},
      20);
}

TEST(RunFailures, TheRecordOfARun) {
  const auto run = [](const fs::path& folder) {
    RunRecord record(folder);
    record.start({.program = "program", .hosts = Json::array(), .dataset = Json::object()});
    record.stop("finished");
  };
  walk_failures({.prepare = run,
                 .work = run,
                 .check = [](const fs::path& folder,
                             Failure) { EXPECT_GE(read_run_record(folder).at("start_count").get<int>(), 1); },
                 .unread = {"run.json"}},
                40);
}

// A run resumes at step 10 and saves step 20.
TEST(RunFailures, ARunThatIsResumed) {
  const auto train_to = [](const fs::path& folder, int64_t step) {
    CheckpointConfig config;
    config.keep_last = 1;
    config.asynchronous = false;  // the calls come in the same order each time
    FolderKeeper keeper(folder / "run", false, config);
    const Checkpoint* newest = keeper.find_newest();
    const int64_t done = newest != nullptr ? newest->step() : 0;
    keeper.begin_at(done, {});
    MetricsWriter metrics(folder / "run", 0);
    metrics.begin(done);
    metrics.metrics({{"step", step}});
    keeper.save(MadeSnapshot(step, 20).view());
    keeper.finish_saving();
  };
  walk_failures({.prepare = [&](const fs::path& folder) { train_to(folder, 10); },
                 .work = [&](const fs::path& folder) { train_to(folder, 20); },
                 .check =
                     [](const fs::path& folder, Failure) {
                       const NewestCheckpoint newest = newest_whole_checkpoint(folder / "run/checkpoints");
                       ASSERT_TRUE(newest.checkpoint);
                       EXPECT_TRUE(newest.damaged.empty());
                       const MadeSnapshot made(newest.checkpoint->step(), 20);
                       expect_same(*newest.checkpoint, made.view());
                     },
                 .unread = {"run/metrics.jsonl"}},
                200);
}

}  // namespace
}  // namespace verbund
