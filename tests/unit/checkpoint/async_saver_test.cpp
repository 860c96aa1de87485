// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/async_saver.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CheckpointConfig saver_config(bool asynchronous, int64_t keep_last = 100) {
  CheckpointConfig config;
  config.keep_last = keep_last;
  config.asynchronous = asynchronous;
  return config;
}

// A file where the folder belongs makes every save fail, until it is taken away.
class Obstacle {
 public:
  explicit Obstacle(const fs::path& folder) : folder_(folder), aside_(folder.string() + "-aside") {
    fs::rename(folder_, aside_);
    write_file(folder_, "in the way");
  }
  ~Obstacle() {
    fs::remove(folder_);
    fs::rename(aside_, folder_);
  }

 private:
  fs::path folder_, aside_;
};

class AsyncSaverTest : public ::testing::TestWithParam<bool> {
 protected:
  TemporaryFolder folder_;
  CheckpointStore store_{folder_ / "checkpoints", saver_config(GetParam())};
  AsyncSaver saver_{store_};
};
INSTANTIATE_TEST_SUITE_P(BothWays, AsyncSaverTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Asynchronous" : "InPlace"; });

TEST_P(AsyncSaverTest, TheSourceMayChangeAtOnce) {
  for (const int64_t step : {1, 2, 3, 4}) {
    MadeSnapshot made(step, 100000);
    saver_.start(made.view());
    made.overwrite();
  }
  saver_.finish();
  for (const int64_t step : {1, 2, 3, 4}) {
    const MadeSnapshot made(step, 100000);
    expect_same(Checkpoint(store_.folder() / step_folder_name(step)), made.view());
  }
  EXPECT_EQ(fs::read_symlink(store_.folder() / "last"), "step-00000004");
}

TEST(AsyncSaver, AnErrorComesWithTheNextCallAndOnlyOnce) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints", saver_config(true));
  AsyncSaver saver(store);
  saver.start(MadeSnapshot(1).view());
  saver.finish();
  {
    const Obstacle obstacle(store.folder());
    saver.start(MadeSnapshot(2).view());
    EXPECT_ERROR(saver.start(MadeSnapshot(3).view()), Error, HasSubstr("step 2"), HasSubstr("checkpoints"));
    saver.start(MadeSnapshot(4).view());
    EXPECT_ERROR(saver.finish(), Error, HasSubstr("step 4"));
    saver.finish();
  }
  saver.start(MadeSnapshot(6).view());
  saver.finish();
  EXPECT_THAT(names_in(store.folder()), ElementsAre("last", "step-00000001", "step-00000006"));
}

TEST(AsyncSaver, InPlaceTheErrorComesAtOnce) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints", saver_config(false));
  AsyncSaver saver(store);
  const Obstacle obstacle(store.folder());
  EXPECT_ERROR(saver.start(MadeSnapshot(2).view()), Error, HasSubstr("step 2"));
}

TEST(AsyncSaver, TheDestructorFinishes) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints", saver_config(true));
  MadeSnapshot made(1, 300000);
  {
    AsyncSaver saver(store);
    saver.start(made.view());
  }
  expect_same(*store.newest_whole().checkpoint, made.view());

  testing::internal::CaptureStderr();
  {
    const Obstacle obstacle(store.folder());
    AsyncSaver saver(store);
    saver.start(MadeSnapshot(2).view());
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("step 2"));
}

TEST(AsyncSaver, NamingWhileSaving) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), saver_config(true, 2));
  AsyncSaver saver(store);
  // The last save also deletes what was named best before, if the save of the best one was faster than its naming.
  for (int64_t step = 1; step <= 21; ++step) {
    saver.start(MadeSnapshot(step).view());
    if (step == 7) store.name("seventh", step);
    if (step % 10 == 0) store.name("best", step);
    EXPECT_LE(store.list().size(), 6u);
  }
  saver.finish();
  EXPECT_THAT(names_in(folder.path()),
              ElementsAre("best", "last", "seventh", "step-00000007", "step-00000020", "step-00000021"));
  EXPECT_EQ(fs::read_symlink(folder / "best"), "step-00000020");
}

TEST(StagingArea, IsAllocatedOnceAndHoldsACopy) {
  StagingArea area;
  MadeSnapshot made(1, 5000);
  const MadeSnapshot same(1, 5000);
  const CheckpointSnapshot copy = area.copy(made.view());
  const uint64_t capacity = area.capacity();
  EXPECT_EQ(capacity, made.view().tensor_bytes());
  const std::byte* memory = copy.weights[0].bytes.data();
  made.overwrite();
  const CheckpointSnapshot expected = same.view();
  const auto equal = [](const std::vector<TensorView>& a, const std::vector<TensorView>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TensorView& x, const TensorView& y) {
      return x.name == y.name && x.shape == y.shape && std::equal(x.bytes.begin(), x.bytes.end(), y.bytes.begin());
    });
  };
  EXPECT_TRUE(equal(copy.weights, expected.weights));
  EXPECT_TRUE(equal(copy.optimizer, expected.optimizer));
  EXPECT_TRUE(equal(copy.average, expected.average));
  EXPECT_TRUE(equal(copy.exchange, expected.exchange));
  EXPECT_EQ(copy.state_json, expected.state_json);

  EXPECT_EQ(area.copy(MadeSnapshot(2, 100).view()).weights[0].bytes.data(), memory);
  EXPECT_EQ(area.capacity(), capacity);
  area.copy(MadeSnapshot(2, 6000).view());
  EXPECT_GT(area.capacity(), capacity);
}

}  // namespace
}  // namespace verbund
