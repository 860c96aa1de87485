// SPDX-License-Identifier: Apache-2.0
// Readers beside a training that saves and deletes checkpoints all the time.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "checkpoint/average_checkpoints.h"
#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_store.h"
#include "core/error.h"
#include "core/log.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

// Saves step after step, and keeps the last ones, until it is destroyed.
class SavingTraining {
 public:
  SavingTraining(const fs::path& folder, int64_t kept) : store_(folder, keep(kept)) {
    for (int64_t step = 1; step <= kept; ++step) save(step);
    thread_ = std::thread([this, kept] {
      for (int64_t step = kept + 1; !stop_; ++step) save(step);
    });
  }
  ~SavingTraining() {
    stop_ = true;
    thread_.join();
  }

  int64_t saved() const { return saved_; }

 private:
  void save(int64_t step) {
    store_.save(MadeSnapshot(step, 20).view());
    saved_ = step;
  }

  CheckpointStore store_;
  std::atomic<bool> stop_ = false;
  std::atomic<int64_t> saved_ = 0;
  std::thread thread_;
};

class PrunedCheckpointsTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_level(LogLevel::kError); }
  void TearDown() override { set_log_level(LogLevel::kInfo); }

  TemporaryFolder folder_;
};

TEST_F(PrunedCheckpointsTest, TheLastOneIsReadWhileItMoves) {
  const SavingTraining training(folder_.path(), 1);
  int64_t newest = 0;
  for (int times = 0; times < 100 || newest < 10; ++times) {
    const Checkpoint checkpoint =
        read_while_pruned([&] { return std::vector{follow_checkpoint_link(folder_ / kLastLink).value()}; },
                          [](const auto& found) { return Checkpoint(found.front(), CheckpointParts::kModel); });
    EXPECT_GE(checkpoint.step(), newest);
    newest = checkpoint.step();
    expect_same_tensors(checkpoint.model(), MadeSnapshot(newest, 20).view().average);
  }
}

TEST_F(PrunedCheckpointsTest, AMeanOfTheLastIsMadeWhileTheyMove) {
  const SavingTraining training(folder_.path(), 3);
  for (int times = 0; times < 30; ++times) {
    const CheckpointMean mean = read_while_pruned([&] { return last_checkpoints(folder_.path(), 2); },
                                                  [](const auto& found) { return CheckpointMean(found); });
    EXPECT_GT(mean.steps()[1], mean.steps()[0]);
  }
}

TEST_F(PrunedCheckpointsTest, AnotherErrorIsNotTriedAgain) {
  make_folder(folder_ / "there");
  int tries = 0;
  EXPECT_ERROR(read_while_pruned([&] { return std::vector{folder_ / "there"}; },
                                 [&](const auto&) -> int {
                                   ++tries;
                                   fail("damaged");
                                 }),
               Error, HasSubstr("damaged"));
  EXPECT_EQ(tries, 1);
}

TEST_F(PrunedCheckpointsTest, AFolderThatStaysDeletedIsAnErrorInTheEnd) {
  int tries = 0;
  EXPECT_ERROR(read_while_pruned([&] { return std::vector{folder_ / "gone"}; },
                                 [&](const auto&) -> int {
                                   ++tries;
                                   fail("gone");
                                 }),
               Error, HasSubstr("gone"));
  EXPECT_GT(tries, 1);
}

TEST_F(PrunedCheckpointsTest, LinksThatLeadNowhere) {
  fs::create_symlink("best", folder_ / "best");
  fs::create_symlink("none", folder_ / "last");
  EXPECT_FALSE(follow_checkpoint_link(folder_ / "best"));
  EXPECT_FALSE(follow_checkpoint_link(folder_ / "last"));
  EXPECT_FALSE(follow_checkpoint_link(folder_ / "average"));
}

}  // namespace
}  // namespace verbund
