// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_record.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/file.h"
#include "data/dataset_format.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DatasetRecord, HasEachFolderWithItsCommandSettingsAndSums) {
  TemporaryFolder folder;
  const fs::path a = folder / "a", b = folder / "b";
  make_folder(a);
  make_folder(b);
  write_file(a / kDatasetManifest, R"({"source_language": "en", "target_language": "de"})");
  write_file(a / kStatisticsFile,
             R"({"clean": {"pairs_before": 70, "source_bytes_after": 700, "target_bytes_after": 800},
    "splits": {"train-x": {"pairs": 40, "source": {"tokens": 400}, "target": {"tokens": 410}},
               "train-y": {"pairs": 20, "source": {"tokens": 200}, "target": {"tokens": 210}},
               "dev": {"pairs": 9, "source": {"tokens": 90}, "target": {"tokens": 91}}}})");
  write_file(a / kProvenanceFile, R"({"command": ["verbund", "prepare", "--out", "a"]})");
  write_file(a / kPrepareFile, "subwords: {vocabulary: 2000}\nclean: {max_words: 30}\ntrain: {max_steps: 7}\n");
  write_file(b / kStatisticsFile, R"({"clean": {"pairs_before": 5}, "splits": {"train": {"pairs": 3}}})");
  const fs::path folders[] = {a, b};
  const DatasetRecord record = read_dataset_record(parse_json(dump_json(describe_datasets(folders, "c"))));
  EXPECT_EQ(record.source_language, "en");
  EXPECT_EQ(record.target_language, "de");
  ASSERT_EQ(record.folders.size(), 2U);
  EXPECT_EQ(record.folders[0].path, a.string());
  EXPECT_EQ(record.folders[1].path, b.string());
  EXPECT_THAT(record.folders[0].command, ElementsAre("verbund", "prepare", "--out", "a"));
  EXPECT_TRUE(record.folders[1].command.empty());
  EXPECT_THAT(record.folders[0].settings, AllOf(HasSubstr("vocabulary: 2000"), HasSubstr("max_words: 30")));
  EXPECT_THAT(record.folders[0].settings, Not(HasSubstr("max_steps")));
  EXPECT_EQ(record.folders[1].settings, "");
  EXPECT_EQ(record.folders[0].pairs, 60);
  EXPECT_EQ(record.folders[0].source_tokens, 600);
  EXPECT_EQ(record.folders[0].target_tokens, 620);
  EXPECT_EQ(record.sum(&FolderRecord::pairs), 63);
  EXPECT_EQ(record.sum(&FolderRecord::pairs_before), 75);
  EXPECT_TRUE(std::isnan(record.sum(&FolderRecord::source_bytes))) << "those of the second are not known";
}

TEST(DatasetRecord, ADamagedFileIsLeftOutAndNamed) {
  TemporaryFolder folder;
  write_file(folder / kStatisticsFile, "{");
  write_file(folder / kPrepareFile, "subwords: {vocabulary: many}\n");
  testing::internal::CaptureStderr();
  const fs::path folders[] = {folder.path()};
  const Json described = describe_datasets(folders, "c");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr(kStatisticsFile), HasSubstr(kPrepareFile)));
  EXPECT_EQ(described.at("checksum"), "c");
  EXPECT_FALSE(described.contains("statistics"));
  EXPECT_TRUE(std::isnan(read_dataset_record(described).folders.at(0).pairs));
}

TEST(DatasetRecord, OfAnOlderVersionKnowsThatThereAreFurtherFolders) {
  const DatasetRecord record = read_dataset_record(parse_json(R"({"path": "/a", "folders": ["/a", "/b"],
    "statistics": {"splits": {"train": {"pairs": 5}}}, "corpora": [{"name": "a", "pairs": 5, "usable_pairs": 4}]})"));
  ASSERT_EQ(record.folders.size(), 2U);
  EXPECT_EQ(record.folders[0].pairs, 5);
  EXPECT_EQ(record.folders[1].path, "/b");
  EXPECT_TRUE(std::isnan(record.sum(&FolderRecord::pairs)));
  ASSERT_EQ(record.corpora.size(), 1U);
  EXPECT_EQ(record.corpora[0].usable, 4);
}

TEST(DatasetRecord, OfNothingIsEmpty) {
  for (const char* text : {"{}", "[]", "null", R"({"further": 7, "corpora": {}, "folders": "a"})"}) {
    const DatasetRecord record = read_dataset_record(parse_json(text));
    EXPECT_TRUE(record.corpora.empty());
    EXPECT_TRUE(std::isnan(record.sum(&FolderRecord::pairs)));
  }
}

}  // namespace
}  // namespace verbund
