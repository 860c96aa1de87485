// SPDX-License-Identifier: Apache-2.0
#include "data/verified_note.h"

#include <gtest/gtest.h>

#include "core/log.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

void write_noted_dataset(const fs::path& folder) {
  DatasetManifest manifest;
  manifest.source_model = manifest.target_model = "joint.model";
  manifest.source_vocabulary = manifest.target_vocabulary = 100;
  SplitWriter writer(folder, "train", 100);
  writer.add(std::vector<TokenId>{5, 6, 7}, std::vector<uint32_t>{2, 1});
  writer.commit(manifest.files);
  manifest.splits["train"] = 1;
  write_manifest(folder, manifest);
}

TEST(VerifiedNote, IsTheSameAsLongAsNothingIsWritten) {
  TemporaryFolder folder, other;
  write_noted_dataset(folder.path());
  write_noted_dataset(other.path());
  const std::string note = verified_note(Dataset(folder.path()));
  EXPECT_EQ(note.size(), 16u);
  EXPECT_EQ(verified_note(Dataset(folder.path())), note);
  EXPECT_NE(verified_note(Dataset(other.path())), note) << "another copy";

  // A write that changes neither size nor the time of the last change, as a program can set it.
  const fs::path ids = folder / "train.ids";
  const auto before = fs::last_write_time(ids);
  std::string bytes = slurp(ids);
  bytes.back() ^= 1;
  folder.write("train.ids", bytes);
  fs::last_write_time(ids, before);
  EXPECT_NE(verified_note(Dataset(folder.path())), note);
}

TEST(VerifiedNote, IsFoundAmongOthers) {
  EXPECT_TRUE(is_noted("0000000000000001,0000000000000002", "0000000000000002"));
  EXPECT_FALSE(is_noted("0000000000000001,0000000000000002", "0000000000000003"));
  EXPECT_FALSE(is_noted("0000000000000001", ""));
  EXPECT_FALSE(is_noted("", "0000000000000001"));
}

TEST(VerifiedNote, IsReadFromALineForLaunch) {
  EXPECT_EQ(parse_verified("\x1d{\"event\":\"verified\",\"note\":\"00ff\"}"), "00ff");
  for (const char* other :
       {"", "text", "\x1d", "\x1d{\"event\":\"verified\"}", "\x1d{\"event\":\"verified\",\"note\":1}",
        "\x1d{\"event\":\"started\",\"worker\":0}", "{\"event\":\"verified\",\"note\":\"00ff\"}",
        "\x1d{\"event\":\"verified\",\"note\":\"a;b c\"}"}) {
    EXPECT_EQ(parse_verified(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace verbund
