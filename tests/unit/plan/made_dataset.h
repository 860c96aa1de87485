// SPDX-License-Identifier: Apache-2.0
// Tests on a small dataset of which every figure is known.
#pragma once

#include <gtest/gtest.h>

#include "core/file.h"
#include "core/random.h"
#include "data/dataset.h"
#include "support/temporary_folder.h"

namespace verbund {

// A dataset whose pairs all have 9 source and 4 target tokens: 10 and 5 with </s>.
class OnMadeDataset : public testing::Test {
 protected:
  OnMadeDataset() {
    DatasetManifest manifest;
    manifest.name = "made";
    manifest.source_language = manifest.target_language = "xx";
    manifest.source_model = manifest.target_model = "joint.model";
    manifest.source_vocabulary = manifest.target_vocabulary = 50;
    write_file(folder_.path() / "joint.model", "none");
    SplitWriter writer(folder_.path(), "train", 50);
    Random random(1, 0);
    std::vector<TokenId> ids;
    std::vector<uint32_t> lengths;
    for (size_t pair = 0; pair < kPairs; ++pair) {
      for (int i = 0; i < 9; ++i) ids.push_back(static_cast<TokenId>(4 + random.below(46)));
      for (int i = 0; i < 4; ++i) ids.push_back(7);
      lengths.insert(lengths.end(), {9, 4});
    }
    writer.add(ids, lengths);
    writer.commit(manifest.files);
    manifest.splits["train"] = kPairs;
    write_manifest(folder_.path(), manifest);
  }

  static constexpr size_t kPairs = 1000;
  TemporaryFolder folder_;
};

}  // namespace verbund
