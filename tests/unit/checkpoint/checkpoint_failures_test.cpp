// SPDX-License-Identifier: Apache-2.0
// Saving, naming, deleting and averaging checkpoints, through every failure of the file system.
#include <gtest/gtest.h>

#include "checkpoint/async_saver.h"
#include "checkpoint/average_checkpoints.h"
#include "checkpoint/checkpoint_writer.h"
#include "support/failure_walk.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

constexpr int64_t kSize = 20;  // of tensors: small, for there are many folders to write

void save_step(const fs::path& folder, int64_t keep_last, int64_t step) {
  CheckpointStore store(folder, keep(keep_last));
  store.save(MadeSnapshot(step, kSize).view());
}

// Everything that counts as a checkpoint is whole and right, `at_least` or newer among them.
void expect_whole(const fs::path& folder, int64_t at_least) {
  const NewestCheckpoint newest = newest_whole_checkpoint(folder);
  EXPECT_TRUE(newest.damaged.empty());
  ASSERT_TRUE(newest.checkpoint);
  EXPECT_GE(newest.checkpoint->step(), at_least);
  for (const CheckpointEntry& entry : list_checkpoints(folder)) {
    const MadeSnapshot made(entry.step, kSize);
    expect_same(Checkpoint(entry.folder), made.view());
  }
}

TEST(CheckpointFailures, TheFirstCheckpointOfARun) {
  walk_failures({.work = [](const fs::path& folder) { save_step(folder / "run/checkpoints", 2, 10); },
                 .check =
                     [](const fs::path& folder, Failure) {
                       const NewestCheckpoint newest = newest_whole_checkpoint(folder / "run/checkpoints");
                       EXPECT_TRUE(newest.damaged.empty());
                       const MadeSnapshot made(10, kSize);
                       if (newest.checkpoint) expect_same(*newest.checkpoint, made.view());
                     }},
                200);
}

// The one before goes only when the new one is there.
TEST(CheckpointFailures, ASaveWithRetentionAndLinks) {
  walk_failures({.prepare =
                     [](const fs::path& folder) {
                       save_step(folder, 1, 10);
                       CheckpointStore(folder, keep(1)).name("best", 10);
                       save_step(folder, 1, 20);
                     },
                 .work = [](const fs::path& folder) { save_step(folder, 1, 30); },
                 .check =
                     [](const fs::path& folder, Failure) {
                       expect_whole(folder, 20);
                       const MadeSnapshot made(10, kSize);
                       expect_same(Checkpoint(folder / "best"), made.view());
                       EXPECT_GE(Checkpoint(folder / "last").step(), 20);
                     }},
                200);
}

// The only one of a run. Two kinds of file system: those on which two folders can change places, and the others.
TEST(CheckpointFailures, ACheckpointIsReplaced) {
  for (const bool exchanges : {true, false}) {
    walk_failures({.prepare =
                       [](const fs::path& folder) {
                         const MadeSnapshot made(10, kSize);
                         CheckpointSnapshot other = made.view();
                         other.optimizer.clear();
                         write_checkpoint(folder / "step-00000010", other);
                       },
                   .work = [](const fs::path& folder) { save_step(folder, 1, 10); },
                   .check = [](const fs::path& folder,
                               Failure) { EXPECT_TRUE(CheckpointStore(folder, keep(1)).newest_whole().checkpoint); },
                   .exchanges = exchanges},
                  200);
  }
}

TEST(CheckpointFailures, CheckpointsAreDeleted) {
  walk_failures({.prepare =
                     [](const fs::path& folder) {
                       for (const int64_t step : {10, 20, 30}) save_step(folder, 5, step);
                     },
                 .work = [](const fs::path& folder) { CheckpointStore(folder, keep(5)).drop_after(10); },
                 .check = [](const fs::path& folder, Failure) { expect_whole(folder, 10); }},
                80);
}

// The next call takes over what a kill leaves of it.
TEST(CheckpointFailures, AMeanIsReplaced) {
  const auto average = [](const fs::path& folder, const char* one, const char* other) {
    save_mean(folder / "mean", CheckpointMean({folder / one, folder / other}), "program");
  };
  walk_failures({.prepare =
                     [&](const fs::path& folder) {
                       for (const int64_t step : {10, 20, 30}) save_step(folder, 5, step);
                       average(folder, "step-00000010", "step-00000020");
                     },
                 .work = [&](const fs::path& folder) { average(folder, "step-00000020", "step-00000030"); },
                 .unread = {"mean/state.json", "mean/manifest.json"}},
                150);
}

// The failure is reported, training continues, and the next save works.
TEST(CheckpointFailures, AFailedSaveInTheBackground) {
  int failures = 0;
  bool struck = true;
  for (int at = 1; struck && !HasFailure(); ++at) {
    struck = false;
    for (const Failure failure : {Failure::kError, Failure::kFull}) {
      SCOPED_TRACE("call " + std::to_string(at) + ": " + name_of(failure));
      const TemporaryFolder folder;
      FailingFileSystem healthy;
      const FileSystemInPlace without_syncs(healthy);
      CheckpointStore store(folder.path(), keep(1));
      AsyncSaver saver(store);
      saver.start(MadeSnapshot(10, kSize).view());
      saver.finish();
      FailingFileSystem failing(at, failure);
      bool told = false;
      {
        const FileSystemInPlace in_place(failing);
        saver.start(MadeSnapshot(20, kSize).view());
        try {
          saver.finish();
        } catch (const Error& error) {
          told = true;
          EXPECT_NE(std::string(error.what()).find(folder.path().string()), std::string::npos) << error.what();
        }
      }
      struck = struck || failing.struck();
      failures += failing.struck();
      expect_whole(folder.path(), 10);
      EXPECT_TRUE(told || fs::exists(folder / "step-00000020"));
      saver.start(MadeSnapshot(30, kSize).view());
      saver.finish();
      const CheckpointStore next_run(folder.path(), keep(1));  // removes what could not be removed
      EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"last", "step-00000030"}));
      expect_whole(folder.path(), 30);
    }
  }
  EXPECT_GE(failures, 70);
  RecordProperty("failures", failures);
  std::printf("walked %d failures\n", failures);
}

}  // namespace
}  // namespace verbund
