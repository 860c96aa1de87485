// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "data/dataset.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/random.h"
#include "data/dataset_format.h"
#include "data/prepare.h"
#include "support/expect_error.h"
#include "support/flip_bit.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A small dataset with a vocabulary for each side.
class DatasetVerification : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kWarning);
    std::string source, target;
    for (int i = 0; i < 300; ++i) {
      source += "the number " + std::to_string(i) + " is here and there\n";
      target += "die Zahl " + std::to_string(i) + " ist hier\n";
    }
    PrepareRequest request;
    request.config.corpus.train = {{folder_.write("a.en", source), folder_.write("a.de", target), ""}};
    request.config.corpus.dev = {{folder_.write("d.en", "the number 1\n"), folder_.write("d.de", "die Zahl 1\n"), ""}};
    request.config.subwords.vocabulary = 50;
    request.config.subwords.joint = false;
    request.config.threads = 1;
    request.out = data_;
    prepare(request);
    ASSERT_NO_THROW(verify(Dataset(data_)));
  }
  void TearDown() override { set_log_level(LogLevel::kInfo); }

  // Another content, of which the manifest approves.
  void replace(const std::string& name, const std::string& content) const {
    write_file(data_ / name, content);
    DatasetManifest manifest = read_manifest(data_);
    manifest.files[name] = {content.size(), checksum_of(content)};
    write_manifest(data_, manifest);
  }

  // Another element of an array.
  template <typename T>
  void set_element(const std::string& name, size_t index, T value) const {
    std::string content = slurp(data_ / name);
    std::memcpy(content.data() + sizeof(ArrayHeader) + index * sizeof(T), &value, sizeof(T));
    replace(name, content);
  }

  void write_json(const Json& json) const { folder_.write("data/dataset.json", json.dump(2) + "\n"); }
  Json read_json() const { return parse_json(slurp(data_ / kDatasetManifest)); }

  TemporaryFolder folder_;
  const fs::path data_ = folder_ / "data";
};

TEST_F(DatasetVerification, EveryFlippedBitIsNoticed) {
  Random random(7, 0);
  for (const auto& [name, record] : read_manifest(data_).files) {
    const int flips = name.starts_with("train.") ? 200 : 20;
    for (int i = 0; i < flips; ++i) {
      const size_t bit = random.below(8 * record.size);
      flip_bit(data_ / name, bit);
      EXPECT_ERROR(verify(Dataset(data_)), Error, HasSubstr(name.substr(0, name.find('.'))));
      flip_bit(data_ / name, bit);
    }
  }
  EXPECT_NO_THROW(verify(Dataset(data_)));
}

TEST_F(DatasetVerification, BoundsHoldWhateverTheChecksumsSay) {
  const auto expect_refused = [&](const std::string& name, const std::string& part = "") {
    EXPECT_ERROR(verify(Dataset(data_)), Error, HasSubstr(name), HasSubstr(part));
  };
  const Split train(data_, "train", 50, 50);
  const uint64_t target = train.source_length(0);  // where the first one starts
  const std::string ids = slurp(data_ / "train.ids");
  set_element<uint16_t>("train.ids", 0, 50);
  expect_refused("train.ids", "id 50 in the source of pair 0");
  replace("train.ids", ids);
  set_element<uint16_t>("train.ids", target, 65535);
  expect_refused("train.ids", "id 65535 in the target of pair 0");
  replace("train.ids", ids);

  const std::string offsets = slurp(data_ / "train.offsets");
  for (const uint64_t wrong : {uint64_t{0}, train.offsets()[2], UINT64_MAX, UINT64_MAX / 2 + 1}) {
    set_element<uint64_t>("train.offsets", 1, wrong);
    expect_refused("train.offsets");
  }
  replace("train.offsets", offsets);
  set_element<uint64_t>("train.offsets", 0, 1);
  expect_refused("train.offsets");
  set_element<uint64_t>("train.offsets", 0, 0);
  set_element<uint64_t>("train.offsets", train.size(), (uint64_t{1} << 63) + train.offsets().back());
  expect_refused("train.offsets");
  replace("train.offsets", offsets);

  const std::string lengths = slurp(data_ / "train.lengths");
  set_element<uint32_t>("train.lengths", 0, UINT32_MAX);
  expect_refused("train.lengths", "pair 0");
  replace("train.lengths", lengths.substr(0, lengths.size() - 4));
  expect_refused("train.lengths");
  replace("train.lengths", lengths);

  for (const char bytes : {'\0', '\1', '\3', '\10'}) {
    std::string other = ids.substr(0, sizeof(ArrayHeader) + (ids.size() - sizeof(ArrayHeader)) / 24 * 24);
    other[12] = bytes;
    replace("train.ids", other);
    expect_refused("train.ids");
  }
  replace("train.ids", ids);
  EXPECT_NO_THROW(verify(Dataset(data_)));
}

TEST_F(DatasetVerification, TheManifestGuardsAllItsFields) {
  const Json whole = read_json();
  for (const char* key : {"source_vocabulary", "target_vocabulary"}) {
    Json json = whole;
    json[key] = 49;
    write_json(json);
    EXPECT_ERROR(Dataset{data_}, Error, HasSubstr(kDatasetManifest));
  }
  Json json = whole;
  json["splits"].erase("dev");
  write_json(json);
  EXPECT_ERROR(Dataset{data_}, Error, HasSubstr(kDatasetManifest));
}

// They have no checksum of their own.
TEST_F(DatasetVerification, ManifestsOfEarlierVersions) {
  const std::string checksum = read_manifest(data_).checksum();
  Json old = read_json();
  old.erase("manifest_checksum");
  write_json(old);
  EXPECT_NO_THROW(verify(Dataset(data_)));
  EXPECT_EQ(read_manifest(data_).checksum(), checksum);
  for (const char* key : {"source_vocabulary", "target_vocabulary"}) {
    Json json = old;
    json[key] = 49;
    write_json(json);
    EXPECT_ERROR(verify(Dataset(data_)), Error, HasSubstr(".model"), HasSubstr("50"), HasSubstr("49"));
  }
}

TEST_F(DatasetVerification, OfOneSplitReadsNothingElse) {
  flip_bit(data_ / "train.ids", 1000);
  EXPECT_ERROR(verify(Dataset(data_)), Error, HasSubstr("train.ids"));
  const Verification dev = verify(Dataset(data_), "dev");
  EXPECT_GT(dev.bytes, fs::file_size(data_ / "dev.ids"));
  EXPECT_LT(dev.bytes, fs::file_size(data_ / "train.ids") + fs::file_size(data_ / "source.model") +
                           fs::file_size(data_ / "target.model"));
  EXPECT_ERROR(verify(Dataset(data_), "test"), Error, HasSubstr("test"), HasSubstr("dev, train"));
  flip_bit(data_ / "dev.source.txt", 8);
  EXPECT_ERROR(verify(Dataset(data_), "dev"), Error, HasSubstr("dev.source.txt"));
}

}  // namespace
}  // namespace verbund
