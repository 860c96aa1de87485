// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/event_file.h"

#include <gmock/gmock.h>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::vector<std::string> records_of(const std::string& file, std::string* note = nullptr) {
  RecordReader reader(file);
  std::vector<std::string> records;
  for (std::string_view record; reader.next(record);) records.emplace_back(record);
  if (note != nullptr) *note = reader.note();
  return records;
}

TEST(Crc32c, KnownSums) {  // RFC 3720, appendix B.4
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46dd794eu);
}

TEST(EventFile, RecordsComeBack) {
  const std::string file = framed_record("") + framed_record("a") + framed_record(std::string(100000, 'b'));
  std::string note;
  EXPECT_THAT(records_of(file, &note), ElementsAre("", "a", std::string(100000, 'b')));
  EXPECT_EQ(note, "");
}

TEST(EventFile, CutAnywhereTheWholeRecordsAreRead) {
  const std::string first = framed_record("the first"), file = first + framed_record("the second");
  for (size_t size = 0; size <= file.size(); ++size) {
    std::string note;
    const auto records = records_of(file.substr(0, size), &note);
    EXPECT_EQ(records.size(), size == file.size() ? 2 : size >= first.size() ? 1 : 0) << size;
    const bool ends_well = size == 0 || size == first.size() || size == file.size();
    EXPECT_EQ(note.empty(), ends_well) << size;
    if (!ends_well) {
      EXPECT_THAT(note, HasSubstr(fmt::format("at byte {} of {}", size < first.size() ? 0 : first.size(), size)));
    }
  }
}

TEST(EventFile, AFlippedBitStopsTheReaderThere) {
  const std::string first = framed_record("the first"), second = framed_record("the second"),
                    file = first + second + framed_record("the third");
  for (size_t bit = 0; bit < 8 * second.size(); ++bit) {
    std::string damaged = file, note;
    damaged[first.size() + bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_THAT(records_of(damaged, &note), ElementsAre("the first")) << bit;
    EXPECT_THAT(note, HasSubstr(fmt::format("at byte {} of {}", first.size(), file.size())));
  }
}

TEST(EventFile, AHugeLengthWithAGoodSumIsHalfWritten) {
  std::string length(8, '\xff'), note;
  // The sum of these eight bytes, masked, as framed_record would make it of such a length.
  const uint32_t sum = crc32c(length), masked = (sum >> 15 | sum << 17) + 0xa282ead8u;
  length.append(reinterpret_cast<const char*>(&masked), 4);
  EXPECT_THAT(records_of(length + "abcdefgh", &note), ElementsAre());
  EXPECT_THAT(note, HasSubstr("at byte 0 of 20"));
}

TEST(EventFile, ANewOneIsReadAfterAllOthers) {
  const TemporaryFolder folder;
  folder.write("metrics.jsonl", "");
  EventFile first(folder.path(), 1000);
  EventFile again(folder.path(), 999);  // the clock was set back
  EXPECT_THAT(first.path().filename().string(), MatchesRegex("events.out.tfevents.0000001000[.].+[.][0-9]+[.]0"));
  EXPECT_THAT(again.path().filename().string(), HasSubstr("tfevents.0000001001."));
  EventFile later(folder.path(), 5000);
  EXPECT_THAT(event_files(folder.path()), ElementsAre(first.path(), again.path(), later.path()));
}

TEST(EventFile, WritesWhatIsFlushed) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), 1);
  file.add("one");
  EXPECT_EQ(slurp(file.path()), "");
  file.flush();
  EXPECT_EQ(slurp(file.path()), framed_record("one"));
  file.add("two");
  file.sync();
  EXPECT_EQ(slurp(file.path()), framed_record("one") + framed_record("two"));
  file.add(std::string(100000, 'x'));  // too much to be kept
  EXPECT_THAT(records_of(slurp(file.path())).size(), 3);
}

TEST(EventFile, AFolderThatCannotBeWrittenIsNamed) {
  const TemporaryFolder folder;
  EXPECT_ERROR(EventFile(folder / "none", 1), Error, HasSubstr((folder / "none").string()));
}

}  // namespace
}  // namespace verbund
