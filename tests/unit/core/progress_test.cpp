// SPDX-License-Identifier: Apache-2.0
#include "core/progress.h"

#include <gtest/gtest.h>

#include "core/hash.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

TEST(Progress, SaysHowMuchIsDoneAndHowLongItTakes) {
  const Status status = progress_status("evaluating", "sentences", 340, 3000, 0, 5);
  EXPECT_EQ(status.text, "evaluating 340 of 3,000 sentences, 68/s, 40 s left");
  EXPECT_DOUBLE_EQ(status.share, 340.0 / 3000);
}

TEST(Progress, BytesAreShownAsPeopleReadThem) {
  EXPECT_EQ(progress_status("encode", "bytes", 1'200'000, 3'000'000, 0, 2).text,
            "encode 1.2 MB of 3.0 MB, 600 kB/s, 3 s left");
}

TEST(Progress, WhatWasDoneBeforeSaysNothingOfTheSpeed) {
  EXPECT_EQ(progress_status("encode", "pairs", 900, 1000, 800, 10).text, "encode 900 of 1,000 pairs, 10/s, 10 s left");
}

TEST(Progress, NobodyKnowsTheTimeAtTheStartOrWithoutATotal) {
  EXPECT_EQ(progress_status("encode", "pairs", 0, 1000, 0, 0).text, "encode 0 of 1,000 pairs");
  const Status open = progress_status("encode", "pairs", 50, 0, 0, 10);
  EXPECT_EQ(open.text, "encode 50 pairs, 5/s");
  EXPECT_LT(open.share, 0);
  EXPECT_EQ(progress_status("encode", "pairs", 1000, 1000, 0, 10).text, "encode 1,000 of 1,000 pairs, 100/s");
}

TEST(Progress, SlowWorkHasATimeButNoSpeed) {
  EXPECT_EQ(progress_status("average", "checkpoints", 1, 5, 0, 30).text, "average 1 of 5 checkpoints, 2 min 00 s left");
}

TEST(Progress, AChecksumCountsItsBytes) {
  const TemporaryFolder folder;
  folder.write("file", std::string(3'000'000, 'x'));
  Progress progress("checking", 3'000'000, "bytes");
  EXPECT_EQ(file_checksum(folder / "file", &progress), file_checksum(folder / "file"));
  EXPECT_EQ(progress.done(), 3'000'000U);
}

}  // namespace
}  // namespace verbund
