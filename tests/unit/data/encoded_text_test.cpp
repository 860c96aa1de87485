// SPDX-License-Identifier: Apache-2.0
#include "data/encoded_text.h"
#include "core/json.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/log.h"
#include "data/dataset.h"
#include "data/prepare.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

// A vocabulary small enough to be written by hand.
class EncodedTextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kWarning);
    request_.config.corpus.encoded = true;
    const fs::path vocabulary = folder_.write(
        "m.vocab", "<pad>\t0\n</s>\t0\n<s>\t0\n<unk>\t0\n▁c\t-0\nat\t-1\n▁d\t-2\n▁\t-3\na\t-4\nt\t-5\nc\t-6\nd\t-7\n");
    request_.config.subwords.model = vocabulary.string();
    train("▁c at\n▁d a t\n▁c c\n", "▁d\n▁c at ▁c at\n▁d d\n");
    request_.config.corpus.dev = {
        {folder_.write("d.src", "▁c at ▁d  at \n\n"), folder_.write("d.ref", "▁d a\n▁c\n"), ""}};
    request_.config.threads = 2;
    request_.out = folder_ / "out";
  }
  void TearDown() override { set_log_level(LogLevel::kInfo); }

  void train(const std::string& source, const std::string& target) {
    request_.config.corpus.train = {{folder_.write("a.src", source), folder_.write("a.ref", target), ""}};
  }

  static std::vector<TokenId> source(const Split& split, size_t pair) {
    std::vector<TokenId> ids;
    split.append_source(pair, ids);
    return ids;
  }

  TemporaryFolder folder_;
  PrepareRequest request_;
};

using Ids = std::vector<TokenId>;

TEST_F(EncodedTextTest, PiecesAreLookedUpInTheOrderOfTheText) {
  prepare(request_);
  const Dataset dataset(request_.out);
  verify(dataset);
  const Split& split = dataset.split("train");
  ASSERT_EQ(split.size(), 3u);
  EXPECT_EQ(source(split, 0), (Ids{4, 5}));
  EXPECT_EQ(source(split, 1), (Ids{6, 8, 9}));  // as it is cut, not as the model would: ▁d at
  EXPECT_EQ(source(split, 2), (Ids{4, 10}));
  EXPECT_EQ(dataset.manifest().source_vocabulary, 12u);
  EXPECT_EQ(Subwords(dataset.source_model()).encode("cat dat"), (Ids{4, 5, 6, 5}));
}

TEST_F(EncodedTextTest, ValidationTextIsDecodedForScoring) {
  prepare(request_);
  const Dataset dataset(request_.out);
  verify(dataset);
  EXPECT_EQ(source(dataset.split("dev"), 0), (Ids{4, 5, 6, 5}));
  EXPECT_EQ(slurp(dataset.source_text("dev")), "cat dat\n\n");
  EXPECT_EQ(slurp(dataset.target_text("dev")), "da\nc\n");
}

TEST_F(EncodedTextTest, OnlyTrainingPairsWithAnEmptySideAreLeftOut) {
  std::string longer;
  for (int i = 0; i < 300; ++i) longer += "▁c at ";  // raw text would be too long, and too unlike in length
  train("▁c at\n \n" + longer + "\n", "▁d\n▁c\n▁d\n");
  const auto statistics = parse_json(prepare(request_));
  EXPECT_EQ(statistics["clean"]["pairs_before"], 3);
  EXPECT_EQ(statistics["clean"]["pairs_after"], 2);
  EXPECT_EQ(statistics["clean"]["dropped"]["empty"], 1);
  EXPECT_EQ(statistics["splits"]["train"]["source"]["longest"], 600);
  EXPECT_EQ(statistics["splits"]["dev"]["pairs"], 2);
}

TEST_F(EncodedTextTest, UnknownPiecesAreNamedWithTheirLine) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "▁c at\n";
  train(many + "▁c Ω\n</s>\n", many + "▁d\n▁d\n");
  ::testing::internal::CaptureStderr();
  prepare(request_);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("2 of 203 pieces"), HasSubstr("\"Ω\" ("), HasSubstr("a.src:101), \"</s>\" ("),
                    HasSubstr("a.src:102)"), HasSubstr("<unk>")));
  const Dataset dataset(request_.out);
  EXPECT_EQ(source(dataset.split("train"), 100), (Ids{4, kUnknown}));
  EXPECT_EQ(source(dataset.split("train"), 101), (Ids{kUnknown}));
}

TEST_F(EncodedTextTest, RawTextOrAnotherVocabularyIsRefused) {
  train("a cat\nand a dog\n", "▁d\n▁d\n");
  EXPECT_ERROR(prepare(request_), Error, HasSubstr("3 of 5 pieces (60 %)"), HasSubstr("train source"),
               HasSubstr("\"cat\" ("), HasSubstr("--encoded"));
  EXPECT_FALSE(fs::exists(request_.out / "dataset.json"));
}

TEST_F(EncodedTextTest, SidesMustBeParallel) {
  train("▁c\n▁c\n", "▁d\n");
  EXPECT_ERROR(prepare(request_), Error, HasSubstr("a.src has 2"), HasSubstr("a.ref has 1"));
}

TEST_F(EncodedTextTest, SettingsThatDoNotFitAreRefused) {
  request_.export_text = true;
  EXPECT_ERROR(prepare(request_), UsageError, HasSubstr("--export-text"));
  request_.export_text = false;
  request_.config.subwords.dropout = 0.1;
  EXPECT_ERROR(prepare(request_), UsageError, HasSubstr("subwords.dropout=0.1"));
  request_.config.subwords.dropout = 0;
  request_.config.subwords.model = "";
  EXPECT_ERROR(prepare(request_), UsageError, HasSubstr("--subwords FILE"));
  request_.config.corpus.name = "demo";
  EXPECT_ERROR(prepare(request_), UsageError, HasSubstr("corpus demo"));
}

TEST_F(EncodedTextTest, NothingIsDoneTwice) {
  prepare(request_);
  const auto memory = slurp(request_.out / "work/stages.json");
  prepare(request_);
  EXPECT_EQ(slurp(request_.out / "work/stages.json"), memory);
  train("▁c at\n", "▁d\n");
  prepare(request_);
  EXPECT_EQ(Dataset(request_.out).split("train").size(), 1u);
}

}  // namespace
}  // namespace verbund
