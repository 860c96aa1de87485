// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "support/expect_error.h"
#include "support/flip_bit.h"
#include "support/temporary_folder.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array kAllFiles = {kWeightsFile, kOptimizerFile, kAverageFile,
                                  kStateFile,   kConfigFile,    kCheckpointManifest};

// Checkpoints of the steps 1000 and 2000; the second is to be damaged.
class DamagedCheckpointTest : public ::testing::Test {
 protected:
  DamagedCheckpointTest() {
    write_checkpoint(folder_ / "step-00001000", MadeSnapshot(1000, 20).view());
    write_checkpoint(folder_ / "step-00002000", MadeSnapshot(2000, 20).view());
  }

  std::string file(const std::string& name) const { return "step-00002000/" + name; }

  // Opening names the file and the value, and the checkpoint before is used.
  void expect_found(const std::string& name, const std::string& value) {
    const fs::path damaged = folder_ / "step-00002000";
    EXPECT_ERROR(Checkpoint{damaged}, Error, HasSubstr(name), HasSubstr(value));
    testing::internal::CaptureStderr();
    const NewestCheckpoint newest = newest_whole_checkpoint(folder_.path());
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("step 2000"), HasSubstr(name), HasSubstr(value)));
    ASSERT_TRUE(newest.checkpoint);
    expect_same(*newest.checkpoint, MadeSnapshot(1000, 20).view());
    ASSERT_EQ(newest.damaged.size(), 1u);
    EXPECT_EQ(newest.damaged[0].entry.step, 2000);
    EXPECT_EQ(newest.damaged[0].entry.folder, damaged);
    EXPECT_THAT(newest.damaged[0].reason, AllOf(HasSubstr(name), HasSubstr(value)));
  }

  TemporaryFolder folder_;
};

TEST(Checkpoint, WhatIsWrittenIsRead) {
  TemporaryFolder folder;
  const MadeSnapshot made(4000);
  write_checkpoint(folder / "step-00004000", made.view());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("step-00004000"));
  EXPECT_THAT(names_in(folder / "step-00004000"),
              ElementsAre("average.safetensors", "config.yaml", "exchange.safetensors", "manifest.json",
                          "optimizer.safetensors", "state.json", "weights.safetensors"));
  expect_same(Checkpoint(folder / "step-00004000"), made.view());
  fs::create_directory_symlink("step-00004000", folder / "last");
  expect_same(Checkpoint(folder / "last"), made.view());
}

TEST(Checkpoint, AllButTheWeightsMayBeLeftOut) {
  TemporaryFolder folder;
  const MadeSnapshot made(1);
  CheckpointSnapshot snapshot = made.view();
  snapshot.optimizer.clear();
  snapshot.average.clear();
  snapshot.exchange.clear();
  write_checkpoint(folder / "step-00000001", snapshot);
  EXPECT_THAT(names_in(folder / "step-00000001"),
              ElementsAre("config.yaml", "manifest.json", "state.json", "weights.safetensors"));
  const Checkpoint checkpoint(folder / "step-00000001");
  EXPECT_EQ(checkpoint.optimizer(), nullptr);
  EXPECT_EQ(checkpoint.average(), nullptr);
  EXPECT_EQ(checkpoint.exchange(), nullptr);
  expect_same_tensors(checkpoint.weights(), snapshot.weights);
}

// Translating needs neither the optimiser's state nor the residuals, and of the weights only the averaged ones.
TEST(Checkpoint, OnlyWhatIsNeededIsOpened) {
  TemporaryFolder folder;
  const MadeSnapshot made(1);
  CheckpointSnapshot snapshot = made.view();
  write_checkpoint(folder / "step-00000001", snapshot);
  for (const char* name : {kOptimizerFile, kExchangeFile, kWeightsFile}) fs::remove(folder / "step-00000001" / name);
  const Checkpoint averaged(folder / "step-00000001", CheckpointParts::kModel);
  expect_same_tensors(averaged.model(), snapshot.average);
  EXPECT_EQ(averaged.optimizer(), nullptr);
  EXPECT_EQ(averaged.config_yaml(), snapshot.config_yaml);
  EXPECT_ERROR(Checkpoint(folder / "step-00000001"), Error, HasSubstr("is missing"));

  snapshot.average.clear();
  snapshot.step = 2;
  snapshot.state_json = R"({"step": 2})";
  write_checkpoint(folder / "step-00000002", snapshot);
  fs::remove(folder / "step-00000002" / kOptimizerFile);
  expect_same_tensors(Checkpoint(folder / "step-00000002", CheckpointParts::kModel).model(), snapshot.weights);
  flip_bit(folder / "step-00000002" / kWeightsFile, 3000);
  EXPECT_ERROR(Checkpoint(folder / "step-00000002", CheckpointParts::kModel), Error, HasSubstr(kWeightsFile));
}

TEST(Checkpoint, AnExistingOneIsReplaced) {
  TemporaryFolder folder;
  write_checkpoint(folder / "step-00000005", MadeSnapshot(5, 20).view());
  const MadeSnapshot made(6, 40);
  CheckpointSnapshot other = made.view();
  other.step = 5;
  other.state_json = R"({"step": 5})";
  other.optimizer.clear();
  write_checkpoint(folder / "step-00000005", other);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("step-00000005"));
  const Checkpoint checkpoint(folder / "step-00000005");
  expect_same_tensors(checkpoint.weights(), other.weights);
  EXPECT_EQ(checkpoint.optimizer(), nullptr);
}

TEST(Checkpoint, WhatCannotBeACheckpointIsRefused) {
  TemporaryFolder folder;
  const MadeSnapshot made(5);
  CheckpointSnapshot snapshot = made.view();
  for (const char* state : {"", "[]", "3", "{", "{} x"}) {
    snapshot.state_json = state;
    EXPECT_ERROR(write_checkpoint(folder / "a", snapshot), Error, HasSubstr(snapshot.state_json));
  }
  snapshot = made.view();
  snapshot.step = -1;
  EXPECT_ERROR(write_checkpoint(folder / "a", snapshot), Error, HasSubstr("step -1"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_ERROR(Checkpoint(folder / "a"), Error, HasSubstr((folder / "a").string()));
}

TEST(Checkpoint, ThatTellsTwoStepsIsDamaged) {
  TemporaryFolder folder;
  write_checkpoint(folder / "step-00000004", MadeSnapshot(4).view());
  const MadeSnapshot made(6);
  CheckpointSnapshot snapshot = made.view();
  snapshot.step = 5;  // but state.json says 6
  write_checkpoint(folder / "step-00000005", snapshot);
  EXPECT_ERROR(Checkpoint(folder / "step-00000005"), Error, HasSubstr("step-00000005"),
               ContainsRegex("state.json .*6.* manifest.json .*5"));
  snapshot.state_json = R"({"step": "five"})";
  write_checkpoint(folder / "step-00000005", snapshot);
  EXPECT_ERROR(Checkpoint(folder / "step-00000005"), Error, HasSubstr("state.json"));
  const NewestCheckpoint newest = newest_whole_checkpoint(folder.path());
  ASSERT_TRUE(newest.checkpoint);
  EXPECT_EQ(newest.checkpoint->step(), 4);
  EXPECT_EQ(newest.damaged.size(), 1u);
  fs::rename(folder / "step-00000004", folder / "step-00000007");
  EXPECT_ERROR(Checkpoint(folder / "step-00000007"), Error, ContainsRegex("manifest.json .*4"));
}

TEST(Checkpoint, FoldersAreNamedByStep) {
  EXPECT_EQ(step_folder_name(4000), "step-00004000");
  EXPECT_EQ(step_folder_name(1234567890123), "step-1234567890123");
  for (const int64_t step : {int64_t{0}, int64_t{7}, int64_t{99999999}, int64_t{100000000}, INT64_MAX}) {
    EXPECT_EQ(step_of_folder_name(step_folder_name(step)), step);
  }
  for (const char* name : {"", "step-", "step-1", "step-000000001", "step-00004000.partial", "step-0000400x", "last",
                           "step--0000001", "step-+0000001", "step-99999999999999999999", "xstep-00004000"}) {
    EXPECT_EQ(step_of_folder_name(name), std::nullopt) << name;
  }
}

TEST(Checkpoint, ListedByStepWhateverElseIsThere) {
  TemporaryFolder folder;
  EXPECT_TRUE(list_checkpoints(folder / "none").empty());
  for (const char* name : {"step-100000000", "step-00000002", "step-00000010", "step-00000003.partial", "notes"}) {
    fs::create_directory(folder / name);
  }
  folder.write("step-00000004", "a file");
  fs::create_directory_symlink("step-00000010", folder / "last");
  std::vector<int64_t> steps;
  for (const CheckpointEntry& entry : list_checkpoints(folder.path())) steps.push_back(entry.step);
  EXPECT_THAT(steps, ElementsAre(2, 10, 100000000));
}

TEST_F(DamagedCheckpointTest, UndamagedItIsTheNewest) {
  const NewestCheckpoint newest = newest_whole_checkpoint(folder_.path());
  ASSERT_TRUE(newest.checkpoint);
  expect_same(*newest.checkpoint, MadeSnapshot(2000, 20).view());
  EXPECT_TRUE(newest.damaged.empty());
}

TEST_F(DamagedCheckpointTest, AFileIsMissing) {
  for (const char* name : kAllFiles) {
    SCOPED_TRACE(name);
    const std::string whole = slurp(folder_ / file(name));
    fs::remove(folder_ / file(name));
    expect_found(name, name);
    folder_.write(file(name), whole);
  }
}

TEST_F(DamagedCheckpointTest, AFileIsCut) {
  for (const char* name : kAllFiles) {
    const std::string whole = slurp(folder_ / file(name));
    for (const size_t size : {size_t{0}, size_t{1}, whole.size() / 3, whole.size() / 2, whole.size() - 2}) {
      SCOPED_TRACE(fmt::format("{} cut to {} of {} bytes", name, size, whole.size()));
      folder_.write(file(name), whole.substr(0, size));
      if (name == kCheckpointManifest) {
        expect_found(name, "damaged");
      } else {
        expect_found(name, fmt::format("{} bytes", size));
      }
    }
    folder_.write(file(name), whole);
  }
}

TEST_F(DamagedCheckpointTest, AFileHasGrown) {
  for (const char* name : kAllFiles) {
    const std::string whole = slurp(folder_ / file(name));
    folder_.write(file(name), whole + "x");
    expect_found(name, kCheckpointManifest);
    folder_.write(file(name), whole);
  }
}

TEST_F(DamagedCheckpointTest, ABitIsFlipped) {
  for (const char* name : kAllFiles) {
    const fs::path path = folder_ / file(name);
    const size_t bits = fs::file_size(path) * 8;
    for (const size_t bit : {size_t{0}, bits / 3, bits / 2, bits - 16}) {
      SCOPED_TRACE(fmt::format("{}, bit {}", name, bit));
      flip_bit(path, bit);
      expect_found(name, kCheckpointManifest);
      flip_bit(path, bit);
    }
  }
}

// No single bit of the manifest can change unseen, though it is what everything is measured by.
TEST_F(DamagedCheckpointTest, EveryBitOfTheManifestCounts) {
  const fs::path path = folder_ / file(kCheckpointManifest);
  const size_t size = fs::file_size(path) - 1;  // but for the newline at its end
  for (size_t bit = 0; bit < size * 8; ++bit) {
    flip_bit(path, bit);
    EXPECT_ERROR(Checkpoint(folder_ / "step-00002000"), Error, HasSubstr(kCheckpointManifest)) << slurp(path);
    flip_bit(path, bit);
  }
}

TEST_F(DamagedCheckpointTest, TheManifestIsOfSomethingElse) {
  const fs::path folder = folder_ / "step-00002000";
  for (const char* text : {"[]", "{}", "null", R"({"format": "verbund-checkpoint"})", R"({"format": 7})"}) {
    folder_.write(file(kCheckpointManifest), text);
    expect_found(kCheckpointManifest, "damaged");
  }
  folder_.write(file(kCheckpointManifest), R"({"format": "verbund-checkpoint", "version": 99})");
  expect_found(kCheckpointManifest, "version 99");

  CheckpointManifest manifest = read_checkpoint_manifest(folder_ / "step-00001000");
  const auto with = [&](const std::string& name) {
    CheckpointManifest changed = manifest;
    changed.files[name] = {1, "0"};
    return changed;
  };
  write_checkpoint_manifest(folder, with("../../etc/passwd"));
  expect_found(kCheckpointManifest, kCheckpointManifest);
  manifest.files.erase(kWeightsFile);
  write_checkpoint_manifest(folder, manifest);
  expect_found(kCheckpointManifest, kWeightsFile);
}

TEST_F(DamagedCheckpointTest, AFolderWithTheNameOfAnotherStep) {
  fs::rename(folder_ / "step-00001000", folder_ / "step-00003000");
  const NewestCheckpoint newest = newest_whole_checkpoint(folder_.path());
  ASSERT_TRUE(newest.checkpoint);
  EXPECT_EQ(newest.checkpoint->step(), 2000);
  ASSERT_EQ(newest.damaged.size(), 1u);
  EXPECT_THAT(newest.damaged[0].reason, AllOf(HasSubstr("step-00003000"), HasSubstr("step 1000")));
}

TEST_F(DamagedCheckpointTest, AllAreDamaged) {
  fs::remove(folder_ / "step-00001000/state.json");
  fs::remove(folder_ / file("state.json"));
  const NewestCheckpoint newest = newest_whole_checkpoint(folder_.path());
  EXPECT_FALSE(newest.checkpoint);
  EXPECT_EQ(newest.damaged.size(), 2u);
}

// Intact as files, but not what their names promise.
TEST_F(DamagedCheckpointTest, WeightsThatAreNotSafetensors) {
  const fs::path folder = folder_ / "step-00002000";
  CheckpointManifest manifest = read_checkpoint_manifest(folder);
  folder_.write(file(kWeightsFile), "not tensors");
  manifest.files[kWeightsFile] = {11, checksum_of("not tensors")};
  write_checkpoint_manifest(folder, manifest);
  expect_found(kWeightsFile, "damaged");
}

}  // namespace
}  // namespace verbund
