// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checkpoint_store.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int64_t> steps(const CheckpointStore& store) {
  std::vector<int64_t> steps;
  for (const CheckpointEntry& entry : store.list()) steps.push_back(entry.step);
  return steps;
}

void save(CheckpointStore& store, std::initializer_list<int64_t> steps) {
  for (const int64_t step : steps) store.save(MadeSnapshot(step, 20).view());
}

TEST(CheckpointStore, SavesListsAndFinds) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "run/checkpoints", keep(5));
  EXPECT_THAT(steps(store), IsEmpty());
  EXPECT_FALSE(store.newest_whole().checkpoint);
  const MadeSnapshot made(1000);
  const fs::path saved = store.save(made.view());
  EXPECT_EQ(saved, folder / "run/checkpoints/step-00001000");
  expect_same(Checkpoint(saved), made.view());
  expect_same(*store.newest_whole().checkpoint, made.view());
  save(store, {2000});
  EXPECT_THAT(steps(store), ElementsAre(1000, 2000));
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 2000);
}

TEST(CheckpointStore, LastPointsToTheLast) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(2));
  for (const int64_t step : {1, 2, 3}) {
    save(store, {step});
    EXPECT_EQ(fs::read_symlink(folder / "last"), step_folder_name(step));
    EXPECT_EQ(Checkpoint(folder / "last").step(), step);
  }
}

TEST(CheckpointStore, KeepsTheLastEveryKthAndTheNamed) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(2, 40));
  save(store, {10, 20, 30});
  EXPECT_THAT(steps(store), ElementsAre(20, 30));
  store.name("a", 20);
  store.name("b", 50);
  save(store, {40, 50, 60, 70, 80});
  EXPECT_THAT(steps(store), ElementsAre(20, 40, 50, 70, 80));
  store.name("a", 50);
  save(store, {90});
  EXPECT_THAT(steps(store), ElementsAre(40, 50, 80, 90));
}

TEST(CheckpointStore, ANamedOneIsKeptEvenByALaterRun) {
  TemporaryFolder folder;
  {
    CheckpointStore store(folder.path(), keep(1));
    save(store, {10});
    store.name("best", 10);
    save(store, {20, 30});
    EXPECT_THAT(steps(store), ElementsAre(10, 30));
  }
  CheckpointStore store(folder.path(), keep(1));
  save(store, {40});
  EXPECT_THAT(steps(store), ElementsAre(10, 40));
  EXPECT_EQ(Checkpoint(folder / "best").step(), 10);
  store.name("best", 40);
  EXPECT_EQ(fs::read_symlink(folder / "best"), "step-00000040");
  save(store, {50});
  EXPECT_THAT(steps(store), ElementsAre(40, 50));
}

TEST(CheckpointStore, ANameWaitsForItsCheckpoint) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(1));
  save(store, {10});
  store.name("best", 10);
  store.name("best", 20);
  EXPECT_EQ(fs::read_symlink(folder / "best"), "step-00000010");
  save(store, {20});
  EXPECT_EQ(fs::read_symlink(folder / "best"), "step-00000020");
  EXPECT_THAT(steps(store), ElementsAre(20));
}

TEST(CheckpointStore, LeftoversOfACrashAreRemovedAtTheStart) {
  TemporaryFolder folder;
  {
    CheckpointStore store(folder.path(), keep(5));
    save(store, {10, 20});
  }
  fs::create_directories(folder / "step-00000030.partial");
  folder.write("step-00000030.partial/weights.safetensors.partial", "half");
  fs::rename(folder / "step-00000010", folder / "step-00000010.deleting");
  fs::create_directory_symlink("step-00000030", folder / "last.partial");
  fs::create_directory_symlink("step-00000010", folder / "best");
  fs::remove(folder / "last");
  folder.write("notes.partial", "not ours");

  CheckpointStore store(folder.path(), keep(5));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("last", "notes.partial", "step-00000020"));
  EXPECT_EQ(fs::read_symlink(folder / "last"), "step-00000020");
}

TEST(CheckpointStore, ReadersLeaveWhatIsBeingWritten) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(5));
  save(store, {10});
  fs::create_directories(folder / "step-00000020.partial");
  EXPECT_EQ(newest_whole_checkpoint(folder.path()).checkpoint->step(), 10);
  EXPECT_TRUE(fs::exists(folder / "step-00000020.partial"));
}

TEST(CheckpointStore, GoingOnFromAnEarlierOneForgetsTheLater) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(5));
  save(store, {10, 20, 30});
  store.name("best", 30);
  fs::remove(folder / "step-00000030/state.json");
  const NewestCheckpoint newest = store.newest_whole();
  ASSERT_TRUE(newest.checkpoint);
  EXPECT_EQ(newest.checkpoint->step(), 20);
  store.drop_after(20);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("last", "step-00000010", "step-00000020"));
  EXPECT_EQ(fs::read_symlink(folder / "last"), "step-00000020");
}

// Without drop_after: what is saved now must not lose to what another course left.
TEST(CheckpointStore, LaterStepsOfAnotherCourseDoNotDisplaceTheNewOne) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(1));
  save(store, {30, 10});
  EXPECT_THAT(steps(store), ElementsAre(10, 30));
  EXPECT_EQ(fs::read_symlink(folder / "last"), "step-00000010");
}

TEST(CheckpointStore, ADamagedOneIsReplacedWhenItsStepComesAgain) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(5));
  save(store, {10, 20});
  folder.write("step-00000020/weights.safetensors", "rubbish");
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 10);
  save(store, {20});
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 20);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("last", "step-00000010", "step-00000020"));
}

TEST(CheckpointStore, AFileInTheWayOfItsFolder) {
  TemporaryFolder folder;
  folder.write("checkpoints", "a file");
  EXPECT_ERROR(CheckpointStore(folder / "checkpoints", keep(5)), Error, HasSubstr("checkpoints"));
}

TEST(CheckpointStore, SomethingInTheWayOfALinkIsOnlyAWarning) {
  TemporaryFolder folder;
  folder.write("x", "");
  fs::create_directories(folder / "last/something");
  CheckpointStore store(folder.path(), keep(5));
  testing::internal::CaptureStderr();
  save(store, {10});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr((folder / "last").string()));
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 10);
}

TEST(Retention, TheLastAreKept) {
  EXPECT_THAT(outdated_steps({1, 2, 3, 4, 5}, 5, keep(2), {}), ElementsAre(1, 2, 3));
  EXPECT_THAT(outdated_steps({1, 2, 3}, 3, keep(3), {}), IsEmpty());
  EXPECT_THAT(outdated_steps({1, 2, 3}, 3, keep(1000000), {}), IsEmpty());
  EXPECT_THAT(outdated_steps({}, 3, keep(1), {}), IsEmpty());
}

TEST(Retention, EveryKthIsKept) {
  EXPECT_THAT(outdated_steps({500, 1000, 1500, 2000, 2500}, 2500, keep(1, 1000), {}), ElementsAre(500, 1500));
}

TEST(Retention, TheNamedAreKept) {
  EXPECT_THAT(outdated_steps({1, 2, 3, 4, 5}, 5, keep(1), {2, 4, 99}), ElementsAre(1, 3));
}

TEST(Retention, LaterStepsAreNeitherCountedNorDeleted) {
  EXPECT_THAT(outdated_steps({1, 2, 3, 8, 9}, 3, keep(2), {}), ElementsAre(1));
  EXPECT_THAT(outdated_steps({3, 8, 9}, 3, keep(1), {}), IsEmpty());
}

TEST(Retention, WhatWasJustSavedStaysWhateverIsConfigured) {
  EXPECT_THAT(outdated_steps({1, 2}, 2, keep(0), {}), ElementsAre(1));
}

}  // namespace
}  // namespace verbund
