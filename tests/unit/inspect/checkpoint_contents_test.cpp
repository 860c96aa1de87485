// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "inspect/listing.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "support/expect_error.h"
#include "support/flip_bit.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model with one parameter of each part: 100 numbers each, moments with 4 more for gaps.
class CheckpointContentsTest : public ::testing::Test {
 protected:
  CheckpointContentsTest() : values_(1004) {
    const std::span<const float> all(values_);
    for (const char* name :
         {"source.embedding", "encoder.0.self.norm.weight", "encoder.0.self.qkv.weight", "encoder.0.ff.in.weight",
          "decoder.cross.kv.weight", "decoder.0.self.out.weight", "decoder.0.cross.q.weight", "decoder.0.ff.out.bias",
          "decoder.norm.bias", "output.weight"}) {
      snapshot_.weights.push_back(view_tensor(name, {10, 10}, all.first(100)));
      snapshot_.average.push_back(view_tensor(name, {10, 10}, all.first(100)));
    }
    for (const char* name : {"adam.m", "adam.v"}) snapshot_.optimizer.push_back(view_tensor(name, {1004}, all));
    for (const char* name : {"residual.0.0", "residual.1.0"})
      snapshot_.exchange.push_back(view_tensor(name, {1004}, all));
    snapshot_.step = 4000;
    snapshot_.state_json =
        R"({"step": 4000, "origin": {"run": "id-1", "folder": "/runs/a", "program": "verbund 1", "time": "2026"}})";
    snapshot_.config_yaml = "seed: 1\n";
  }

  CheckpointContents written(bool verify = true) {
    write_checkpoint(path_, snapshot_);
    return read_checkpoint_contents(path_, verify);
  }

  std::string damage(const CheckpointContents& contents, const std::string& name) {
    for (const auto& file : contents.files) {
      if (file.name == name) return file.damage;
    }
    return "not listed";
  }

  std::vector<float> values_;
  CheckpointSnapshot snapshot_;
  TemporaryFolder folder_;
  const fs::path path_ = folder_ / "step-00004000";
};

TEST_F(CheckpointContentsTest, PartsMomentsAndOrigin) {
  const CheckpointContents contents = written();
  std::vector<std::string> parts;
  for (const auto& part : contents.parts)
    parts.push_back(fmt::format("{} {} {}", part.name, part.parameters, part.bytes));
  EXPECT_THAT(parts,
              ElementsAre("embeddings 100 400", "norms 200 800", "encoder's self-attention 100 400",
                          "encoder's feed-forward 100 400", "decoder's attention to the source 200 800",
                          "decoder's self-attention 100 400", "decoder's feed-forward 100 400", "output 100 400"));
  EXPECT_EQ(contents.parameters, 1000u);
  ASSERT_EQ(contents.moments.size(), 2u);
  EXPECT_EQ(contents.moments[1].name, "adam.v");
  EXPECT_EQ(contents.moments[1].bytes, 4016u);
  EXPECT_TRUE(contents.averaged);
  EXPECT_TRUE(contents.verified);
  EXPECT_EQ(contents.step, 4000);
  EXPECT_EQ(contents.run, "id-1");
  EXPECT_EQ(contents.run_folder, "/runs/a");
}

// The expected size and the remainder make up every byte; with the folder's own entry it is what du -b says.
TEST_F(CheckpointContentsTest, EveryByteIsExplained) {
  for (const bool whole : {true, false}) {
    if (!whole) {
      remove_path(path_);
      snapshot_.optimizer.clear();
      snapshot_.average.clear();
      snapshot_.exchange.clear();
    }
    const CheckpointContents contents = written();
    EXPECT_EQ(contents.expected_bytes, 4u * 1000 * (whole ? 4 : 1));
    int64_t sum = static_cast<int64_t>(contents.expected_bytes);
    for (const auto& share : contents.remainder) {
      EXPECT_GT(share.bytes, 0) << share.what;
      sum += share.bytes;
    }
    EXPECT_EQ(sum, static_cast<int64_t>(contents.file_bytes));
    uint64_t files = 0;
    for (const auto& entry : fs::directory_iterator(path_)) files += entry.file_size();
    EXPECT_EQ(contents.file_bytes, files);
    EXPECT_GE(contents.folder_bytes, files);
  }
}

TEST_F(CheckpointContentsTest, DamageIsToldByFile) {
  written();
  flip_bit(path_ / kConfigFile, 3);
  write_file(path_ / kAverageFile, "short");
  remove_path(path_ / kOptimizerFile);
  write_file(path_ / "notes.txt", "mine");
  const CheckpointContents contents = read_checkpoint_contents(path_, true);
  EXPECT_TRUE(contents.damaged());
  EXPECT_THAT(damage(contents, kConfigFile), HasSubstr("checksum"));
  EXPECT_THAT(damage(contents, kAverageFile), AllOf(HasSubstr("5 bytes"), HasSubstr("manifest.json")));
  EXPECT_THAT(damage(contents, kOptimizerFile), HasSubstr("missing"));
  EXPECT_EQ(damage(contents, kWeightsFile), "");
  EXPECT_EQ(contents.parameters, 1000u);
  EXPECT_THAT(show_checkpoint_contents(contents),
              AllOf(HasSubstr("notes.txt"), HasSubstr(damage(contents, kOptimizerFile))));
  EXPECT_EQ(damage(read_checkpoint_contents(path_, false), kConfigFile), "") << "sizes alone";
}

TEST_F(CheckpointContentsTest, WithoutWeightsThereAreNoParts) {
  written();
  remove_path(path_ / kWeightsFile);
  const CheckpointContents contents = read_checkpoint_contents(path_, true);
  EXPECT_NE(damage(contents, kWeightsFile), "");
  EXPECT_TRUE(contents.parts.empty());
  EXPECT_FALSE(to_json(contents).contains("parameters"));
}

TEST_F(CheckpointContentsTest, LinksLeadToTheFolder) {
  written();
  fs::create_directory_symlink("step-00004000", folder_ / "best");
  fs::create_directory_symlink("step-00004000", folder_ / "last");
  const CheckpointContents contents = read_checkpoint_contents(folder_ / "best", false);
  EXPECT_EQ(contents.folder.filename(), "step-00004000");
  EXPECT_THAT(contents.links, ElementsAre("best", "last"));
}

TEST_F(CheckpointContentsTest, WhatIsNoCheckpointIsRefused) {
  EXPECT_ERROR(read_checkpoint_contents(folder_ / "none", true), Error, HasSubstr((folder_ / "none").string()));
  EXPECT_ERROR(read_checkpoint_contents(folder_.path(), true), Error, HasSubstr("manifest.json"));
  fs::create_directory_symlink("step-00000009", folder_ / "last");
  EXPECT_ERROR(read_checkpoint_contents(folder_ / "last", true), Error, HasSubstr("step-00000009"));
  written();
  flip_bit(path_ / kCheckpointManifest, 100);
  EXPECT_ERROR(read_checkpoint_contents(path_, true), Error, HasSubstr("manifest.json"));
}

TEST_F(CheckpointContentsTest, AStepThatTheNameDoesNotTellIsDamage) {
  written();
  rename_path(path_, folder_ / "step-00004001");
  EXPECT_ERROR(read_checkpoint_contents(folder_ / "step-00004001", true), Error, HasSubstr("4000"));
}

TEST_F(CheckpointContentsTest, AsJson) {
  const Json json = to_json(written());
  EXPECT_EQ(json["kind"], "checkpoint");
  EXPECT_EQ(json["files"].size(), 7u);
  EXPECT_EQ(json["files"][0]["name"], "average.safetensors");
  EXPECT_EQ(json["files"][0]["xxh3_128"].get<std::string>().size(), 32u);
  EXPECT_EQ(json["parts"][0]["parameters"], 100);
  EXPECT_EQ(json["optimizer"][0]["name"], "adam.m");
  EXPECT_FALSE(json["damaged"]);
}

}  // namespace
}  // namespace verbund
