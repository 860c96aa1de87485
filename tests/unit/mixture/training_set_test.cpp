// SPDX-License-Identifier: Apache-2.0
#include "mixture/training_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TrainingSet, NumbersThePairsOfItsCorporaThrough) {
  const TemporaryFolder folder;
  const std::vector<TokenId> ids = {4, 5, 6, 7, 8, 9};
  const Split a = made_split(folder.path(), "a", 100, ids, std::vector<uint32_t>{1, 2, 2, 1});
  const Split none = made_split(folder.path(), "none", 100, {}, {});
  const Split b = made_split(folder.path(), "b", 100, ids, std::vector<uint32_t>{3, 3});
  const TrainingSet set({{"a", &a}, {"none", &none}, {"b", &b}});
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(set.corpus_of(1), 0u);
  EXPECT_EQ(set.corpus_of(2), 2u);
  EXPECT_EQ(set.first_pair(2), 2u);
  EXPECT_EQ(set.source_length(1), 2u);
  EXPECT_EQ(set.target_length(2), 3u);
  Batch batch;
  fill(batch, set, std::vector<uint32_t>{2, 0});
  EXPECT_THAT(batch.source, ElementsAre(4, 5, 6, 1, 4, 1));
  EXPECT_THAT(batch.sentence_ids, ElementsAre(2, 0));
}

// Writes a dataset of one pair, whose subword model is this text; without `joint`, the model of each side.
Dataset made_folder(const fs::path& folder, const std::string& name, const std::string& model, bool joint = true) {
  make_folder(folder);
  DatasetManifest manifest;
  manifest.name = name;
  manifest.source_model = manifest.target_model = "vocabulary.model";
  if (!joint) manifest.target_model = "target.model";
  manifest.source_vocabulary = manifest.target_vocabulary = 100;
  SplitWriter writer(folder, "train", 100);
  writer.add(std::vector<TokenId>{4, 5}, std::vector<uint32_t>{1, 1});
  writer.commit(manifest.files);
  manifest.splits = {{"train", 1}};
  for (const std::string& file_name : std::set{manifest.source_model, manifest.target_model}) {
    ChecksummedFile file(folder / file_name);
    file.write(model);
    commit(file, manifest.files);
  }
  write_manifest(folder, manifest);
  return Dataset(folder);
}

TEST(TrainingSet, IsOfOneOrSeveralFoldersWithTheSameSubwordModel) {
  const TemporaryFolder folder;
  std::vector<Dataset> datasets;
  datasets.push_back(made_folder(folder / "one", "demo", "pieces"));
  EXPECT_EQ(training_set(datasets).corpora()[0].name, "demo");
  EXPECT_EQ(checksum(datasets), datasets[0].manifest().checksum());
  datasets.push_back(made_folder(folder / "two" / "", "demo", "pieces"));
  const TrainingSet set = training_set(datasets);
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.corpora()[0].name, "one");
  EXPECT_EQ(set.corpora()[1].name, "two");
  EXPECT_NE(checksum(datasets), datasets[0].manifest().checksum());
  datasets.push_back(made_folder(folder / "three", "", "other pieces"));
  EXPECT_ERROR(training_set(datasets), Error, HasSubstr("subwords.model"), HasSubstr("three"));
}

TEST(TrainingSet, TheAdviceNamesTheModelsOfBothSides) {
  const TemporaryFolder folder;
  std::vector<Dataset> datasets;
  datasets.push_back(made_folder(folder / "one", "", "pieces", false));
  datasets.push_back(made_folder(folder / "two", "", "other pieces", false));
  EXPECT_ERROR(training_set(datasets), Error, HasSubstr("subwords.model=" + (folder / "one/vocabulary.model").string()),
               HasSubstr("subwords.target_model=" + (folder / "one/target.model").string()));
}

TEST(TrainingSet, NamesTellCorporaApart) {
  const TemporaryFolder folder;
  make_folder(folder / "x");
  make_folder(folder / "y");
  std::vector<Dataset> datasets;
  datasets.push_back(made_folder(folder / "one", "", "pieces"));
  EXPECT_EQ(training_set(datasets).corpora()[0].name, "train");
  datasets.push_back(made_folder(folder / "x" / "one", "", "pieces"));
  datasets.push_back(made_folder(folder / "y" / "one", "", "pieces"));
  const TrainingSet set = training_set(datasets);
  EXPECT_EQ(set.corpora()[0].name, "one");
  EXPECT_EQ(set.corpora()[0].origin, "");
  EXPECT_EQ(set.corpora()[1].name, "one-2");
  EXPECT_EQ(set.corpora()[1].origin, "one of " + (folder / "x" / "one").string());
  EXPECT_EQ(set.corpora()[2].name, "one-3");
}

TEST(TrainingSet, HasTagsIfAllItsCorporaHave) {
  const TemporaryFolder folder;
  const Split split = made_split(folder.path(), "a", 100, {}, {});
  EXPECT_THAT(tags_of_all(TrainingSet({{"a", &split, 1, "<2a>"}, {"b", &split, 1, "<2b>"}, {"c", &split, 1, "<2a>"}})),
              ElementsAre("<2a>", "<2b>"));
  EXPECT_THAT(tags_of_all(TrainingSet({{"a", &split, 1, "<2a>"}, {"b", &split}})), IsEmpty());
}

}  // namespace
}  // namespace verbund
