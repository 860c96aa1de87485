// SPDX-License-Identifier: Apache-2.0
#include "record/step_records.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "core/log.h"
#include "support/expect_error.h"
#include "support/failing_file_system.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<StepRecord> records(int64_t first, int64_t count) {
  std::vector<StepRecord> made;
  for (int64_t step = first; step < first + count; ++step) {
    made.push_back({.step = step,
                    .began = 1.7e9 + 0.25 * static_cast<double>(step),
                    .seconds = 0.25F,
                    .waited = 0.01F,
                    .compute = 0.2F,
                    .exposed = 0.03F,
                    .update = 0.01F,
                    .exchange = 0.15F,
                    .bytes = 123456789012,
                    .tokens = 1000,
                    .loss = 4.5F,
                    .start = 2,
                    .flags = kNotUpdated});
  }
  return made;
}

std::vector<int64_t> steps_in(const fs::path& path) {
  std::vector<int64_t> steps;
  for (const StepRecord& record : StepRecords(path)) steps.push_back(record.step);
  return steps;
}

TEST(StepRecords, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const fs::path path = folder / "rank-0.bin";
  const std::vector<StepRecord> written = records(1, 100);
  StepRecordWriter(path).add(written);
  const StepRecords read(path);
  ASSERT_EQ(read.size(), written.size());
  EXPECT_EQ(std::memcmp(read.all().data(), written.data(), 100 * sizeof(StepRecord)), 0);
  EXPECT_EQ(slurp(path).substr(0, 16), std::string("VBsteps\n\1\0\0\0\x40\0\0\0", 16));
}

TEST(StepRecords, AHalfRecordIsIgnoredByReadersAndCutOffByTheNextWriter) {
  const TemporaryFolder folder;
  const fs::path path = folder / "rank-0.bin";
  StepRecordWriter(path).add(records(1, 3));
  fs::resize_file(path, 16 + 2 * 64 + 63);
  EXPECT_THAT(steps_in(path), ::testing::ElementsAre(1, 2));
  StepRecordWriter(path).add(records(3, 2));
  EXPECT_THAT(steps_in(path), ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(fs::file_size(path), 16u + 4 * 64);
}

TEST(StepRecords, AHeaderThatAKillHasCutIsAnEmptyFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "rank-0.bin";
  for (const size_t size : {0, 1, 9, 15}) {
    fs::remove(path);
    StepRecordWriter whole(path);
    fs::resize_file(path, size);
    EXPECT_TRUE(StepRecords(path).empty()) << size;
    StepRecordWriter(path).add(records(1, 1));
    EXPECT_THAT(steps_in(path), ::testing::ElementsAre(1)) << size;
  }
}

TEST(StepRecords, AnythingElseIsRefusedWithBothValues) {
  const TemporaryFolder folder;
  EXPECT_ERROR(StepRecords(folder.write("a", "not a record of steps at all")), Error, HasSubstr("VBsteps"),
               HasSubstr((folder / "a").string()));
  EXPECT_ERROR(StepRecords(folder.write("b", "abc")), Error, HasSubstr("3"));
  EXPECT_ERROR(StepRecords(folder.write("c", std::string("VBsteps\n\2\0\0\0\x40\0\0\0", 16))), Error,
               HasSubstr("version 2"));
  EXPECT_ERROR(StepRecords(folder.write("d", std::string("VBsteps\n\1\0\0\0\x30\0\0\0", 16))), Error, HasSubstr("48"),
               HasSubstr("64"));
  EXPECT_ERROR(StepRecords(folder / "none"), Error, HasSubstr("none"));
}

TEST(StepRecords, AWriterMovesADamagedFileOutOfTheWay) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("rank-0.bin", "something of another program");
  set_log_level(LogLevel::kWarning);
  StepRecordWriter(path).add(records(7, 1));
  set_log_level(LogLevel::kInfo);
  EXPECT_THAT(steps_in(path), ::testing::ElementsAre(7));
  EXPECT_EQ(slurp(folder / "rank-0.bin.damaged"), "something of another program");
}

// Records that could not be written are lost, the others stay whole; a file that was cut by a kill is gone on with.
TEST(StepRecords, AreWholeWhateverCallFails) {
  int failures = 0;
  for (const Failure failure : kFailures) {
    for (int at = 1; at <= 6; ++at) {
      SCOPED_TRACE(fmt::format("call {}: {}", at, name_of(failure)));
      const TemporaryFolder folder;
      const fs::path path = folder / "rank-0.bin";
      StepRecordWriter(path).add(records(1, 2));
      fs::resize_file(path, 16 + 64 + 10);
      FailingFileSystem failing(at, failure);
      bool all = false;
      try {
        const FileSystemInPlace in_place(failing);
        StepRecordWriter writer(path);
        all = writer.add(records(2, 3));
        all = writer.add(records(5, 1)) && all;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(path.string()));
      }
      failures += failing.struck();
      EXPECT_TRUE(StepRecordWriter(path).add(records(6, 1)));
      const std::vector<int64_t> found = steps_in(path);
      EXPECT_EQ(found.front(), 1);
      EXPECT_EQ(found.back(), 6);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      const bool kept = all && failure != Failure::kPowerCut;
      EXPECT_TRUE(!kept || found == std::vector<int64_t>({1, 2, 3, 4, 5, 6}));
      EXPECT_EQ((fs::file_size(path) - 16) % 64, 0u);
    }
  }
  EXPECT_GE(failures, 20);
}

TEST(StepRecords, OfALongRunAreReadByAllRanksAtOnce) {
  const TemporaryFolder folder;
  const fs::path path = folder / "rank-0.bin";
  const std::vector<StepRecord> written = records(1, 300000);
  StepRecordWriter(path).add(written);
  for (int rank = 0; rank < 8; ++rank) {
    double seconds = 0;
    for (const StepRecord& record : StepRecords(path)) seconds += record.seconds;
    EXPECT_EQ(seconds, 75000);
  }
}

}  // namespace
}  // namespace verbund
