// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "data/dataset_format.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<TokenId>;

// Three pairs: ([5 6] -> [7]), ([] -> [8 9]), ([10] -> []).
DatasetManifest write_dataset(const fs::path& folder, uint64_t vocabulary, TokenId largest = 10) {
  DatasetManifest manifest;
  manifest.source_model = manifest.target_model = "joint.model";
  manifest.source_vocabulary = manifest.target_vocabulary = vocabulary;
  SplitWriter writer(folder, "train", vocabulary);
  writer.add(Ids{5, 6, 7, 8, 9}, std::vector<uint32_t>{2, 1, 0, 2});
  writer.add(Ids{largest}, std::vector<uint32_t>{1, 0});
  writer.commit(manifest.files);
  manifest.splits["train"] = 3;
  write_manifest(folder, manifest);
  return manifest;
}

TEST(Dataset, WhatIsWrittenIsRead) {
  for (const auto& [vocabulary, largest] : {std::pair<uint64_t, TokenId>{65536, 65535}, {100000, 99999}}) {
    TemporaryFolder folder;
    write_dataset(folder.path(), vocabulary, largest);
    const Dataset dataset(folder.path());
    const Split& train = dataset.split("train");
    ASSERT_EQ(train.size(), 3u);
    Ids ids;
    train.append_source(0, ids);
    train.append_target(1, ids);
    train.append_source(2, ids);
    train.append_target(2, ids);
    EXPECT_THAT(ids, ElementsAre(5, 6, 8, 9, largest));
    EXPECT_EQ(train.source_length(0), 2u);
    EXPECT_EQ(train.target_length(2), 0u);
    EXPECT_EQ(fs::file_size(folder / "train.ids"), sizeof(ArrayHeader) + 6 * token_bytes(vocabulary));
  }
}

TEST(Dataset, TheChecksumTellsDatasetsApart) {
  TemporaryFolder a, b, c;
  EXPECT_EQ(write_dataset(a.path(), 100).checksum(), write_dataset(b.path(), 100).checksum());
  EXPECT_NE(write_dataset(a.path(), 100).checksum(), write_dataset(c.path(), 100, 11).checksum());
}

TEST(Dataset, AFolderWithoutNamedSourcesIsOneSource) {
  TemporaryFolder folder;
  DatasetManifest manifest = write_dataset(folder.path(), 100);
  EXPECT_EQ(read_manifest(folder.path()).sources().front().name, "train");
  manifest.name = "demo";
  write_manifest(folder.path(), manifest);
  const std::vector<DatasetSource> sources = read_manifest(folder.path()).sources();
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].name, "demo");
  EXPECT_EQ(sources[0].split, "train");
  EXPECT_EQ(sources[0].weight, 1);
  EXPECT_EQ(slurp(folder / kDatasetManifest).find("sources"), std::string::npos);
}

// Two sources, of one pair each.
DatasetManifest write_sources(const fs::path& folder, double weight = 0.5, const std::string& second = "b.2") {
  DatasetManifest manifest;
  manifest.source_model = manifest.target_model = "joint.model";
  manifest.source_vocabulary = manifest.target_vocabulary = 100;
  manifest.named_sources = {{"a", weight, "<2de>", "train-a"}, {second, 1, "", "train-b.2"}};
  for (const TokenId first : {5, 7}) {
    const std::string& split = manifest.named_sources[first == 5 ? 0 : 1].split;
    SplitWriter writer(folder, split, 100);
    writer.add(Ids{first, 6}, std::vector<uint32_t>{1, 1});
    writer.commit(manifest.files);
    manifest.splits[split] = 1;
  }
  write_manifest(folder, manifest);
  return manifest;
}

TEST(Dataset, NamedSourcesAreReadInTheirOrder) {
  TemporaryFolder folder, other;
  const DatasetManifest written = write_sources(folder.path());
  const Dataset dataset(folder.path());
  const std::vector<DatasetSource> sources = dataset.manifest().sources();
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].name, "a");
  EXPECT_EQ(sources[0].weight, 0.5);
  EXPECT_EQ(sources[0].tag, "<2de>");
  EXPECT_EQ(sources[1].split, "train-b.2");
  Ids ids;
  for (const DatasetSource& source : sources) dataset.split(source.split).append_source(0, ids);
  EXPECT_THAT(ids, ElementsAre(5, 7));
  EXPECT_NE(written.checksum(), write_sources(other.path(), 0.7).checksum());  // trains otherwise
}

TEST(Dataset, SourcesThatCannotBeAreRefused) {
  TemporaryFolder folder;
  for (const char* name : {"a", "../b", "", "c"}) {  // twice, no file name, none, without a split
    write_sources(folder.path(), 0.5, name);
    EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr(kDatasetManifest), HasSubstr("source"));
  }
  write_sources(folder.path(), 0);
  EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr("weight"));
}

TEST(Dataset, WhatIsCutOrGoneIsFound) {
  for (const char* name : {"train.ids", "train.offsets", "train.lengths"}) {
    TemporaryFolder folder;
    write_dataset(folder.path(), 100);
    const std::string whole = slurp(folder / name);

    folder.write(name, whole.substr(0, whole.size() - 1));
    EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr(name), HasSubstr(std::to_string(whole.size())));

    fs::remove(folder / name);
    EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr(name));
  }
}

TEST(Dataset, ADamagedManifestIsFound) {
  TemporaryFolder folder;
  write_dataset(folder.path(), 100);
  std::string text = slurp(folder / kDatasetManifest);
  folder.write(kDatasetManifest, text.substr(0, text.size() / 2));
  EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr(kDatasetManifest));
  text.replace(text.find("\"size\": "), 9, "\"size\": 9");
  folder.write(kDatasetManifest, text);
  EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr(kDatasetManifest));
}

// Even if it has changed since it was verified.
TEST(Dataset, NothingIsReadBeyondItsEnd) {
  TemporaryFolder folder;
  write_dataset(folder.path(), 100);
  const Dataset dataset(folder.path());
  const auto set = [&](const char* name, size_t position, char value) {
    std::fstream file(folder / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(sizeof(ArrayHeader) + position));
    file.put(value);
  };
  Ids ids;
  set("train.lengths", 3, '\1');
  EXPECT_ERROR(dataset.split("train").append_source(0, ids), Error, HasSubstr("train.ids"), HasSubstr("6 tokens"));
  set("train.offsets", 8 + 7, '\x80');
  EXPECT_ERROR(dataset.split("train").append_target(1, ids), Error, HasSubstr("train.ids"), HasSubstr("6 tokens"));
}

// Rows of the embedding tables would be read that do not exist.
TEST(Dataset, AnIdBeyondTheVocabularyIsRefusedEvenIfItCameAfterTheVerification) {
  for (const uint64_t vocabulary : {uint64_t{100}, uint64_t{100000}}) {  // ids of 2 and of 4 bytes
    TemporaryFolder folder;
    write_dataset(folder.path(), vocabulary);
    const Dataset dataset(folder.path());
    const Split& train = dataset.split("train");
    std::fstream file(folder / "train.ids", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(sizeof(ArrayHeader));
    file << std::string(6 * token_bytes(vocabulary), '\xff') << std::flush;
    Ids ids;
    EXPECT_ERROR(train.append_source(0, ids), Error, HasSubstr((folder / "train.ids").string()),
                 HasSubstr(std::to_string(vocabulary - 1)));
    EXPECT_ERROR(train.append_target(1, ids), Error, HasSubstr((folder / "train.ids").string()));
    ids.clear();
    train.append_source(1, ids);  // has no tokens
    EXPECT_THAT(ids, ElementsAre());
  }
}

TEST(Dataset, EachSideHasItsOwnVocabulary) {
  TemporaryFolder folder;
  const Split split = made_split(folder.path(), "train", 100, Ids{20, 20}, std::vector<uint32_t>{1, 1});
  const Split narrow(folder.path(), "train", 100, 20);
  Ids ids;
  split.append_target(0, ids);
  narrow.append_source(0, ids);
  EXPECT_THAT(ids, ElementsAre(20, 20));
  EXPECT_ERROR(narrow.append_target(0, ids), Error, HasSubstr("19"));
}

TEST(Dataset, FoldersThatAreNone) {
  TemporaryFolder folder;
  EXPECT_ERROR(Dataset(folder.path()), Error, HasSubstr(kDatasetManifest));
  EXPECT_ERROR(Dataset(folder / "none"), Error, HasSubstr((folder / "none").string()));
  write_dataset(folder.path(), 100);
  EXPECT_ERROR(Dataset(folder.path()).split("dev"), Error, HasSubstr("dev"), HasSubstr("train"));
}

}  // namespace
}  // namespace verbund
