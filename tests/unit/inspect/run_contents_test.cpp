// SPDX-License-Identifier: Apache-2.0
#include "inspect/run_contents.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_lock.h"
#include "core/folder_tree.h"
#include "inspect/listing.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunContentsTest : public ::testing::Test {
 protected:
  RunContentsTest() {
    write_file(folder_ / "run.json",
               R"({"format": "verbund-run", "version": 1, "id": "run-1", "start_count": 2, "starts": [
      {"time": "2026-01-01T00:00:00Z", "step": 0, "hosts": [{"host": "a", "workers": [0, 1]}, {"host": "b", "workers": [2]}],
       "stop": {"time": "2026-01-01T01:00:00Z", "reason": "stopped by SIGTERM at step 200"}},
      {"time": "2026-01-01T02:00:00Z", "step": 200}]})");
    write_file(folder_ / "metrics.jsonl",
               "{\"step\":100,\"time\":\"t1\",\"train_loss\":3.5}\n"
               "{\"step\":100,\"time\":\"t2\",\"dev_loss\":2.5,\"dev_bleu\":20.5}\n"
               "{\"step\":200,\"time\":\"t3\",\"dev_loss\":\"NaN\",\"dev_bleu\":21.5}\n"
               "{\"step\":300,\"time\":\"t4\",\"dev_loss\":2.75,\"dev_bleu\":20.0}\n"
               "not JSON\n{\"step\":400");
    make_folder(folder_ / "checkpoints" / "step-00000200");
    write_file(folder_ / "checkpoints" / "step-00000200" / "weights.safetensors", std::string(1000, 'w'));
    fs::create_directory_symlink("step-00000200", folder_ / "checkpoints" / "best");
    fs::create_directory_symlink("step-00000100", folder_ / "checkpoints" / "last");
  }

  TemporaryFolder folder_;
};

// Names and reasons come from files and other hosts; JSON has them as they are, escaped.
TEST_F(RunContentsTest, ControlCharactersAreNotShown) {
  write_file(folder_ / "run.json",
             R"({"format": "verbund-run", "version": 1, "id": "id\u001b[2J", "start_count": 1, "starts": [
      {"time": "\u001b]0;x\u0007", "step": 0, "hosts": [{"host": "a\u001b[31m\u009b1m", "workers": [0]}],
       "stop": {"time": "t\b", "reason": "\rforged"}}]})");
  const RunContents contents = read_run_contents(folder_.path());
  const std::string shown = show_run_contents(contents);
  EXPECT_THAT(shown, AllOf(HasSubstr("id?[2J"), HasSubstr("a?[31m?1m"), HasSubstr("?forged")));
  for (const char c : shown) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int{c};
  EXPECT_EQ(contents.starts[0].host_list, "a\033[31m\u009b1m");
}

// A link that leads to itself is a note, not an error.
TEST_F(RunContentsTest, ALoopOfLinksIsANote) {
  fs::remove(folder_ / "checkpoints" / "last");
  fs::remove(folder_ / "checkpoints" / "best");
  fs::create_symlink("best", folder_ / "checkpoints" / "best");
  EXPECT_THAT(read_run_contents(folder_.path()).notes, Contains(HasSubstr("checkpoints/best points to best")));
  EXPECT_ERROR(recognise_folder(folder_ / "checkpoints" / "best"), Error, HasSubstr("best points to best"));
}

TEST_F(RunContentsTest, StartsResultsAndCheckpoints) {
  const RunContents contents = read_run_contents(folder_.path());
  EXPECT_EQ(contents.id, "run-1");
  EXPECT_EQ(contents.last_step, 300);
  EXPECT_EQ(contents.last_time, "t4");
  EXPECT_EQ(contents.logged, 1u);
  EXPECT_EQ(contents.evaluations, 3u);
  ASSERT_EQ(contents.starts.size(), 2u);
  EXPECT_EQ(contents.starts[0].workers, 3u);
  EXPECT_EQ(contents.starts[0].host_list, "a, b");
  EXPECT_EQ(contents.starts[0].end, "stopped by SIGTERM at step 200");
  std::vector<std::string> best;
  for (const auto& [metric, value, step] : contents.best) best.push_back(fmt::format("{} {} {}", metric, value, step));
  EXPECT_THAT(best, ElementsAre("dev_loss 2.5 100", "dev_bleu 21.5 200"));
  ASSERT_EQ(contents.checkpoints.size(), 1u);
  EXPECT_EQ(contents.checkpoints[0].bytes, 1000u);
  EXPECT_THAT(contents.checkpoints[0].links, ElementsAre("best"));
  EXPECT_THAT(contents.notes, ElementsAre(AllOf(HasSubstr("checkpoints/last"), HasSubstr("step-00000100")),
                                          AllOf(HasSubstr("metrics.jsonl"), HasSubstr("1"))));
  EXPECT_FALSE(contents.running);
  EXPECT_EQ(contents.starts[1].end, "") << "it was killed";
  EXPECT_THAT(show_run_contents(contents), AllOf(HasSubstr("run-1"), HasSubstr("step-00000200"), HasSubstr("21.5")));
}

TEST_F(RunContentsTest, SizesAddUpAndStrangersAreNamed) {
  write_file(folder_ / "events.out.tfevents.1.a", "x");
  write_file(folder_ / "mine.txt", "12345");
  const RunContents contents = read_run_contents(folder_.path());
  EXPECT_EQ(contents.bytes, tree_bytes(list_tree(folder_.path())));
  uint64_t sum = contents.folder_bytes;
  for (const auto& file : contents.files) {
    sum += file.bytes;
    EXPECT_EQ(file.purpose.starts_with("unknown"), file.name == "mine.txt") << file.name;
  }
  EXPECT_EQ(sum, contents.bytes);
  EXPECT_EQ(to_json(contents)["files"].size(), contents.files.size());
}

TEST_F(RunContentsTest, ALockedFolderIsARunningOne) {
  FolderLock lock(folder_.path());
  ASSERT_TRUE(lock.try_lock());
  EXPECT_TRUE(read_run_contents(folder_.path()).running);
  FolderLock other(folder_.path());
  EXPECT_TRUE(other.is_taken());
}

TEST_F(RunContentsTest, LookingLeavesNoLock) {
  EXPECT_FALSE(read_run_contents(folder_.path()).running);
  FolderLock lock(folder_.path());
  EXPECT_FALSE(lock.is_taken());
  FolderLock trainer(folder_.path());
  EXPECT_TRUE(trainer.try_lock());
}

TEST(RunContents, AnEmptyRunAndADamagedRecord) {
  TemporaryFolder folder;
  EXPECT_ERROR(recognise_folder(folder.path()), Error, HasSubstr(folder.path().string()));
  write_file(folder / "metrics.jsonl", "");
  EXPECT_EQ(recognise_folder(folder.path()), InspectedFolder::kRun);
  EXPECT_FALSE(read_run_contents(folder.path()).last_step);
  EXPECT_THAT(read_run_contents(folder.path()).notes, IsEmpty());
  write_file(folder / "run.json", R"({"format": "verbund-run")");
  EXPECT_THAT(read_run_contents(folder.path()).notes, ElementsAre(HasSubstr("run.json")));
}

}  // namespace
}  // namespace verbund
