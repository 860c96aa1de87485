// SPDX-License-Identifier: Apache-2.0
// prepare over an earlier dataset, through every failure of the file system.
#include <gtest/gtest.h>

#include "core/file.h"
#include "data/dataset.h"
#include "data/prepare.h"
#include "support/failure_walk.h"
#include "text/subword_trainer.h"

namespace verbund {
namespace {

class PrepareFailures : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string source, target, pairs;
    for (int i = 0; i < 60; ++i) {
      source += fmt::format("the number {} is here\n", i);
      target += fmt::format("die Zahl {} ist hier\n", i);
      pairs += fmt::format("the number {} is here\tdie Zahl {} ist hier\n", i, i);
    }
    set_log_level(LogLevel::kWarning);
    PrepareRequest& request = request_;
    request.config.corpus.train = {{text_.write("a.en", source), text_.write("a.de", target), ""}};
    request.config.corpus.dev = {{text_.write("d.en", "the number 1\n"), text_.write("d.de", "die Zahl 1\n"), ""}};
    request.config.subwords.vocabulary = 60;
    request.config.subwords.model = text_ / "model";
    request.config.threads = 1;
    learn_subwords(text_.write("pairs", pairs), Sides::kBoth, request.config.subwords, text_ / "model");
  }

  void run(const fs::path& folder, int64_t seed, bool export_text) {
    request_.out = folder / "out";
    request_.config.seed = seed;
    request_.export_text = export_text;
    prepare(request_);
  }

  TemporaryFolder text_;
  PrepareRequest request_;
};

// Readers find the old dataset, the new one, or none; none only if the end came while one replaced the other.
TEST_F(PrepareFailures, ADatasetReplacesAnother) {
  std::string before, after;
  {
    const TemporaryFolder folder;
    run(folder.path(), 1, true);
    before = read_manifest(folder / "out").checksum();
    run(folder.path(), 2, false);
    after = read_manifest(folder / "out").checksum();
    ASSERT_NE(before, after);
  }
  int absent = 0;
  walk_failures({.prepare = [&](const fs::path& folder) { run(folder, 1, true); },
                 .work = [&](const fs::path& folder) { run(folder, 2, false); },  // the text that was exported stays
                 .check =
                     [&](const fs::path& folder, Failure failure) {
                       if (!fs::exists(folder / "out" / kDatasetManifest)) {
                         EXPECT_NE(failure, Failure::kFull);
                         ++absent;
                         return;
                       }
                       EXPECT_NO_THROW(verify(Dataset(folder / "out")));
                       const std::string found = read_manifest(folder / "out").checksum();
                       EXPECT_TRUE(found == before || found == after);
                     },
                 // A power cut is a kill and more; the many calls take their time.
                 .failures = {Failure::kError, Failure::kFull, Failure::kShortWrite, Failure::kPowerCut},
                 .unread = {"out/work/stages.json", "out/provenance.json"}},
                300);
  EXPECT_LT(absent, 100);
  std::printf("%d of them while the old dataset was just being replaced\n", absent);
}

}  // namespace
}  // namespace verbund
