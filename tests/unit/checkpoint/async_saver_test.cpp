#include "checkpoint/async_saver.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "made_snapshot.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CheckpointConfig config(bool asynchronous, int64_t keep_last = 100) {
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
  CheckpointStore store_{folder_ / "checkpoints", config(GetParam())};
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

TEST_P(AsyncSaverTest, ReportsEverySaveOnceAndInOrder) {
  const auto began = std::chrono::steady_clock::now();
  for (const int64_t step : {1, 2, 3}) saver_.start(MadeSnapshot(step, 100000).view());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  saver_.finish();
  std::vector<int64_t> steps;
  double stood_still = 0;
  for (const SaveReport& report : saver_.take_reports()) {
    steps.push_back(report.step);
    EXPECT_EQ(report.folder, store_.folder() / step_folder_name(report.step));
    EXPECT_EQ(report.bytes, 4u * 500007);
    EXPECT_GT(report.write_seconds, 0);
    EXPECT_EQ(report.copy_seconds > 0, GetParam());
    stood_still += report.wait_seconds + report.copy_seconds + (GetParam() ? 0 : report.write_seconds);
  }
  EXPECT_LE(stood_still, elapsed.count()) << "no moment is counted twice";
  EXPECT_THAT(steps, ElementsAre(1, 2, 3));
  EXPECT_THAT(saver_.take_reports(), IsEmpty());
}

TEST(AsyncSaver, ReportsWithoutWaiting) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), config(true));
  AsyncSaver saver(store);
  saver.start(MadeSnapshot(1).view());
  std::vector<SaveReport> reports;
  for (int i = 0; i < 10000 && reports.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    reports = saver.take_reports();
  }
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].step, 1);
}

TEST(AsyncSaver, AnErrorComesWithTheNextCallAndOnlyOnce) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints", config(true));
  AsyncSaver saver(store);
  saver.start(MadeSnapshot(1).view());
  saver.finish();
  {
    const Obstacle obstacle(store.folder());
    saver.start(MadeSnapshot(2).view());
    EXPECT_ERROR(saver.start(MadeSnapshot(3).view()), Error, HasSubstr("cannot save the checkpoint of step 2"),
                 HasSubstr("checkpoints"));
    saver.start(MadeSnapshot(4).view());
    EXPECT_ERROR(saver.finish(), Error, HasSubstr("step 4"));
    saver.finish();

    saver.start(MadeSnapshot(5).view());
    bool thrown = false;
    for (int i = 0; i < 10000 && !thrown; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      try {
        saver.take_reports();
      } catch (const Error&) {
        thrown = true;
      }
    }
    EXPECT_TRUE(thrown);
  }
  saver.start(MadeSnapshot(6).view());
  saver.finish();
  EXPECT_THAT(names_in(store.folder()), ElementsAre("last", "step-00000001", "step-00000006"));
}

TEST(AsyncSaver, InPlaceTheErrorComesAtOnce) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints", config(false));
  AsyncSaver saver(store);
  const Obstacle obstacle(store.folder());
  EXPECT_ERROR(saver.start(MadeSnapshot(2).view()), Error, HasSubstr("cannot save the checkpoint of step 2"));
}

TEST(AsyncSaver, TheDestructorFinishes) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints", config(true));
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
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("warning: cannot save the checkpoint of step 2"));
}

TEST(AsyncSaver, PinningAndNamingWhileSaving) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), config(true, 2));
  AsyncSaver saver(store);
  for (int64_t step = 1; step <= 20; ++step) {
    saver.start(MadeSnapshot(step).view());
    if (step == 7) store.pin({7});
    if (step % 10 == 0) store.name("best", step);
    EXPECT_LE(store.list().size(), 6u);
  }
  saver.finish();
  EXPECT_THAT(names_in(folder.path()), ElementsAre("best", "last", "step-00000007", "step-00000019", "step-00000020"));
  EXPECT_EQ(fs::read_symlink(folder / "best"), "step-00000020");
}

TEST(StagingArea, IsAllocatedOnceAndHoldsACopy) {
  StagingArea area;
  MadeSnapshot made(1, 5000);
  const MadeSnapshot same(1, 5000);
  area.reserve(made.view());
  const uint64_t capacity = area.capacity();
  EXPECT_EQ(capacity, made.view().tensor_bytes());
  const CheckpointSnapshot copy = area.copy(made.view());
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
