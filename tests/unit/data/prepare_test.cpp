// SPDX-License-Identifier: Apache-2.0
#include "data/prepare.h"
#include "core/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/value.h"
#include "core/error.h"
#include "core/log.h"
#include "data/dataset.h"
#include "data/dataset_format.h"
#include "support/expect_error.h"
#include "support/flip_bit.h"
#include "support/temporary_folder.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

class PrepareTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kWarning);
    std::string source, target;
    for (int i = 0; i < 400; ++i) {
      source += "the number " + std::to_string(i) + " is here" + (i % 10 == 0 ? " twice" : "") + "\n";
      target += (i % 100 == 7 ? "" : "die Zahl " + std::to_string(i) + " ist hier") + "\n";
    }
    request_.config.corpus.train = {{folder_.write("a.en", source), folder_.write("a.de", target), ""}};
    request_.config.corpus.dev = {
        {folder_.write("d.en", "the number 1\n\n"), folder_.write("d.de", "die Zahl 1\nleer\n"), ""}};
    request_.config.subwords.vocabulary = 90;
    request_.config.threads = 2;
    request_.out = folder_ / "out";
  }
  void TearDown() override { set_log_level(LogLevel::kInfo); }

  // Which stages worked in this call.
  std::set<std::string> stages_run() {
    const fs::path memory = request_.out / "work/stages.json";
    const auto before = fs::exists(memory) ? parse_json(slurp(memory)) : Json::object();
    prepare(request_);
    std::set<std::string> worked;
    const auto after = parse_json(slurp(memory));
    for (const auto& [name, entry] : after.items()) {
      if (!before.contains(name) || before[name] != entry) worked.insert(name);
    }
    return worked;
  }

  TemporaryFolder folder_;
  PrepareRequest request_;
};

using Names = std::set<std::string>;

TEST_F(PrepareTest, MakesADatasetOfParallelPairs) {
  const auto statistics = parse_json(prepare(request_));
  EXPECT_EQ(statistics["clean"]["pairs_before"], 400);
  EXPECT_EQ(statistics["clean"]["pairs_after"], 396);
  EXPECT_EQ(statistics["clean"]["dropped"]["empty"], 4);
  EXPECT_EQ(statistics["splits"]["dev"]["pairs"], 2);  // never cleaned

  const Dataset dataset(request_.out);
  verify(dataset);
  const Subwords subwords(dataset.source_model());
  const Split& train = dataset.split("train");
  std::set<std::string> seen;
  bool in_order = true;
  for (size_t i = 0; i < train.size(); ++i) {
    std::vector<TokenId> source, target;
    train.append_source(i, source);
    train.append_target(i, target);
    const std::string english = subwords.decode(source), german = subwords.decode(target);
    const std::string number = english.substr(11, english.find(' ', 11) - 11);
    EXPECT_EQ(german, "die Zahl " + number + " ist hier");
    seen.insert(number);
    in_order = in_order && number == std::to_string(i);
  }
  EXPECT_EQ(seen.size(), 396u);
  EXPECT_FALSE(in_order);
  EXPECT_EQ(slurp(dataset.source_text("dev")), "the number 1\n\n");
  EXPECT_EQ(dataset.split("dev").source_length(1), 0u);
}

TEST_F(PrepareTest, DevPairsWithAnEmptySideAreKeptAndNamed) {
  ParallelFiles json;
  json.pairs = folder_.write("d.jsonl", "{\"en\": \"one\", \"de\": \"eins\"}\n{\"en\": \"two\", \"de\": null}\n");
  request_.config.corpus.dev = {json};
  ::testing::internal::CaptureStderr();
  const auto statistics = parse_json(prepare(request_));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("1 pair of the dev text"), HasSubstr("line 2")));
  EXPECT_EQ(statistics["splits"]["dev"]["pairs"], 2);
}

TEST_F(PrepareTest, UnitsOfDevTextWithoutASideAreNamed) {
  const auto unit = [](const char* other) {
    return fmt::format("<tu><tuv xml:lang='en'><seg>one</seg></tuv><tuv xml:lang='{}'><seg>x</seg></tuv></tu>", other);
  };
  ParallelFiles memory;
  memory.pairs = folder_.write("d.tmx", "<tmx><header/><body>" + unit("de") + unit("fr") + "</body></tmx>");
  request_.config.corpus.dev = {memory};
  ::testing::internal::CaptureStderr();
  const auto statistics = parse_json(prepare(request_));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("1 units of the dev text"));
  EXPECT_EQ(statistics["splits"]["dev"]["pairs"], 1);
}

TEST_F(PrepareTest, AChangeRedoesOnlyWhatDependsOnIt) {
  EXPECT_EQ(stages_run(), (Names{"clean", "shuffle", "subwords", "encode"}));
  EXPECT_EQ(stages_run(), Names{});
  request_.config.threads = 1;
  EXPECT_EQ(stages_run(), Names{});
  request_.config.subwords.vocabulary = 80;
  EXPECT_EQ(stages_run(), (Names{"subwords", "encode"}));
  request_.export_text = true;
  EXPECT_EQ(stages_run(), Names{"encode"});
  request_.config.seed = 2;
  EXPECT_EQ(stages_run(), (Names{"shuffle", "subwords", "encode"}));
  folder_.write("d.de", "die Zahl 1\nvoll\n");
  EXPECT_EQ(stages_run(), Names{"encode"});
  request_.config.clean.max_words = 5;
  EXPECT_EQ(stages_run(), (Names{"clean", "shuffle", "subwords", "encode"}));
  fs::remove(request_.out / "train.lengths");
  EXPECT_EQ(stages_run(), Names{"encode"});
}

// The test's text as two sources: one with a tag and rules of its own, the other reversed and without dev text.
class PrepareSourcesTest : public PrepareTest {
 protected:
  void SetUp() override {
    PrepareTest::SetUp();
    CorpusConfig& corpus = request_.config.corpus;
    SourceConfig there, back;
    there.name = "there";
    there.train = std::exchange(corpus.train, {});
    there.dev = std::exchange(corpus.dev, {});
    there.tag = "<2de>";
    there.weight = 0.7;
    there.clean = parse_yaml("max_words: 5", "the test");
    back.name = "back";
    back.train = {{there.train[0].target, there.train[0].source, ""}};
    back.tag = "<2en>";
    back.source_language = "de";
    back.target_language = "en";
    corpus.sources = {there, back};
    request_.config.subwords.symbols = {"<formal>"};
  }
};

TEST_F(PrepareSourcesTest, EachSourceHasItsRulesAndItsSplit) {
  const auto statistics = parse_json(prepare(request_));
  EXPECT_EQ(statistics["clean"]["pairs_before"], 800);
  EXPECT_EQ(statistics["clean"]["pairs_after"], 752);
  EXPECT_EQ(statistics["clean_by_source"]["there"]["dropped"]["too_long"], 40);
  EXPECT_EQ(statistics["clean_by_source"]["there"]["dropped"]["empty"], 4);
  EXPECT_EQ(statistics["clean_by_source"]["back"]["pairs_after"], 396);
  EXPECT_EQ(statistics["splits"]["train-back"]["pairs"], 396);

  const Dataset dataset(request_.out);
  verify(dataset);
  const std::vector<DatasetSource> sources = dataset.manifest().sources();
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].name, "there");
  EXPECT_EQ(sources[0].weight, 0.7);
  EXPECT_FALSE(dataset.has("train"));
  const Subwords subwords(dataset.source_model());
  EXPECT_TRUE(subwords.is_symbol("<formal>"));
  for (const DatasetSource& source : sources) {
    const Split& split = dataset.split(source.split);
    const TokenId tag = subwords.encode(source.tag).at(0);
    for (size_t i = 0; i < split.size(); ++i) {
      std::vector<TokenId> ids, target;
      split.append_source(i, ids);
      split.append_target(i, target);
      ASSERT_EQ(ids[0], tag);
      const std::string text = subwords.decode(ids);
      ASSERT_TRUE(text.starts_with(source.tag + (source.name == "there" ? " the number" : " die Zahl"))) << text;
      ASSERT_EQ(std::count(target.begin(), target.end(), tag), 0);
    }
  }
}

TEST_F(PrepareSourcesTest, DevTextHasTheTagAndIsTheDatasetsToo) {
  prepare(request_);
  const Dataset dataset(request_.out);
  const std::string expected = "<2de> the number 1\n<2de> \n";
  EXPECT_EQ(slurp(dataset.source_text("dev")), expected);
  EXPECT_EQ(slurp(dataset.source_text("dev-there")), expected);
  EXPECT_FALSE(dataset.has("dev-back"));
  std::vector<TokenId> first;
  dataset.split("dev-there").append_source(0, first);
  EXPECT_EQ(first[0], Subwords(dataset.source_model()).encode("<2de>").at(0));
}

TEST_F(PrepareSourcesTest, AChangeOfOneSourceRedoesOnlyItsStages) {
  EXPECT_EQ(stages_run(), (Names{"clean there", "shuffle there", "clean back", "shuffle back", "subwords", "encode"}));
  EXPECT_EQ(stages_run(), Names{});
  request_.config.corpus.sources[0].weight = 2;
  EXPECT_EQ(stages_run(), Names{"encode"});
  EXPECT_EQ(read_manifest(request_.out).sources()[0].weight, 2);
  request_.config.corpus.sources[1].clean = parse_yaml("max_words: 5", "the test");
  EXPECT_EQ(stages_run(), (Names{"clean back", "shuffle back", "subwords", "encode"}));
}

TEST_F(PrepareSourcesTest, WrongSourcesAreRefusedBeforeAnyWork) {
  const auto refused = [&](const auto& change, const char* said) {
    PrepareRequest request = request_;
    request.out = folder_ / "other";
    change(request.config);
    EXPECT_ERROR(prepare(request), UsageError, HasSubstr(said));
    EXPECT_FALSE(fs::exists(request.out / kDatasetManifest));
  };
  refused([](Config& config) { config.corpus.sources[1].name = "there"; }, "there");
  refused([](Config& config) { config.corpus.sources[1].name = "a/b"; }, "a/b");
  refused([](Config& config) { config.corpus.sources[1].train.clear(); }, "back");
  refused([](Config& config) { config.corpus.sources[1].tag = "two words"; }, "two words");
  refused([](Config& config) { config.corpus.train = config.corpus.sources[0].train; }, "corpus.sources");
  refused([](Config& config) { config.corpus.sources[0].clean = parse_yaml("max_word: 5", "x"); }, "max_words");

  prepare(request_);  // and its vocabulary knows no other tag
  refused(
      [&](Config& config) {
        config.subwords.model = (request_.out / "joint.model").string();
        config.corpus.sources[1].tag = "<2fr>";
      },
      "<2fr>");
}

TEST_F(PrepareTest, ADamagedRecordOfStagesRunsThemAgain) {
  prepare(request_);
  const fs::path record = request_.out / "work/stages.json";
  const std::string statistics = slurp(request_.out / kStatisticsFile);
  Json damaged = parse_json(slurp(record));
  damaged["clean"]["result"] = "x";
  write_file(record, dump_json(damaged));
  EXPECT_EQ(stages_run(), Names{"clean"});
  EXPECT_EQ(slurp(request_.out / kStatisticsFile), statistics);
  write_file(record, "[1]");
  EXPECT_EQ(stages_run(), (Names{"clean", "shuffle", "subwords", "encode"}));
  EXPECT_EQ(slurp(request_.out / kStatisticsFile), statistics);
}

// Every file of a dataset, with its size and its time kept.
TEST_F(PrepareTest, WhatIsGoneOrDamagedIsMadeAgain) {
  request_.export_text = true;
  prepare(request_);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(request_.out)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != "stages.json" && name != kProvenanceFile) files.push_back(entry.path());
  }
  EXPECT_GT(files.size(), 17u);
  for (const fs::path& file : files) {
    const std::string whole = slurp(file);
    const bool work = file.parent_path() == request_.out / "work";
    fs::remove(file);
    EXPECT_EQ(stages_run().contains("encode"), !work) << file;
    EXPECT_EQ(slurp(file), whole) << file;

    const auto written = fs::last_write_time(file);
    flip_bit(file, 8 * whole.size() - 8);
    fs::last_write_time(file, written);
    EXPECT_EQ(stages_run().contains("encode"), !work) << file;
    EXPECT_EQ(slurp(file), whole) << file;
  }
  EXPECT_EQ(stages_run(), Names{});
  fs::remove(request_.out / kProvenanceFile);  // is not part of the dataset, and tells of this moment
  EXPECT_EQ(stages_run(), Names{});
  EXPECT_TRUE(fs::exists(request_.out / kProvenanceFile));
}

TEST_F(PrepareTest, ACopyOfTheFolderStandsAlone) {
  prepare(request_);
  const fs::path original = request_.out;
  request_.out = folder_ / "copy";
  fs::copy(original, request_.out, fs::copy_options::recursive);
  EXPECT_EQ(stages_run(), Names{});
  const std::string text = slurp(request_.out / "dev.source.txt");
  fs::remove(request_.out / "dev.source.txt");
  EXPECT_EQ(stages_run(), Names{"encode"});
  EXPECT_EQ(slurp(request_.out / "dev.source.txt"), text);
  fs::remove_all(original);
  EXPECT_EQ(stages_run(), Names{});
}

TEST_F(PrepareTest, ThreadsDoNotChangeTheDataset) {
  prepare(request_);
  const std::string two = read_manifest(request_.out).checksum();
  request_.config.threads = 1;
  request_.out = folder_ / "other";
  prepare(request_);
  EXPECT_EQ(read_manifest(request_.out).checksum(), two);
}

// The training text once per copy, split in other ways each time; dev as ever.
TEST_F(PrepareTest, CopiesOfTheTrainingTextAreSplitAtRandom) {
  prepare(request_);
  const std::string plain = read_manifest(request_.out).checksum();
  request_.config.subwords.dropout = 0.2;
  request_.config.subwords.copies = 3;
  request_.export_text = true;
  EXPECT_EQ(stages_run(), Names{"encode"});
  const Dataset dataset(request_.out);
  verify(dataset);
  const Subwords subwords(dataset.source_model());
  const Split& train = dataset.split("train");
  ASSERT_EQ(train.size(), 3 * 396u);
  LineReader exported(request_.out / "export/train.clean.en.shuffled.BPE_common.90.tok");
  std::string line;
  size_t different = 0;
  for (size_t i = 0; i < train.size(); ++i) {
    std::vector<TokenId> ids, first;
    train.append_source(i, ids);
    train.append_source(i % 396, first);
    EXPECT_EQ(subwords.decode(ids), subwords.decode(first));
    if (ids != first) ++different;
    ASSERT_TRUE(exported.next_line(line));
    std::string pieces;
    for (const TokenId id : ids) pieces += (pieces.empty() ? "" : " ") + subwords.piece(id);
    EXPECT_EQ(line, pieces);
  }
  EXPECT_GT(different, 396u);
  std::vector<TokenId> dev;
  dataset.split("dev").append_source(0, dev);
  EXPECT_EQ(dev, subwords.encode("the number 1"));

  const std::string sampled = read_manifest(request_.out).checksum();
  EXPECT_NE(sampled, plain);
  request_.config.threads = 1;
  request_.out = folder_ / "other";
  prepare(request_);
  EXPECT_EQ(read_manifest(request_.out).checksum(), sampled);
}

TEST_F(PrepareTest, CopiesAndDropoutMustFit) {
  request_.config.subwords.copies = 2;
  EXPECT_ERROR(prepare(request_), Error, HasSubstr("subwords.copies=2"), HasSubstr("subwords.dropout"));
  request_.config.subwords.dropout = 0.1;
  request_.config.subwords.type = SubwordType::kUnigram;
  EXPECT_ERROR(prepare(request_), Error, HasSubstr("subwords.type=bpe"));
  EXPECT_FALSE(fs::exists(request_.out / "work/train.clean.tsv"));  // said before any work
}

TEST_F(PrepareTest, OneModelPerSide) {
  request_.config.subwords.joint = false;
  request_.config.subwords.vocabulary = 60;
  prepare(request_);
  const Dataset dataset(request_.out);
  verify(dataset);
  EXPECT_FALSE(dataset.manifest().joint());
  EXPECT_NE(slurp(dataset.source_model()), slurp(dataset.target_model()));
}

TEST_F(PrepareTest, ExportsTextAsOpenSeq2SeqReadsIt) {
  request_.export_text = true;
  prepare(request_);
  const fs::path folder = request_.out / "export";
  LineReader source(folder / "train.clean.en.shuffled.BPE_common.90.tok");
  std::string line;
  ASSERT_TRUE(source.next_line(line));
  EXPECT_THAT(line, HasSubstr("▁the ▁n"));
  EXPECT_TRUE(fs::exists(folder / "train.clean.de.shuffled.BPE_common.90.tok"));
  EXPECT_TRUE(fs::exists(folder / "dev.src.BPE_common.90.tok"));
  EXPECT_TRUE(fs::exists(folder / "dev.ref.BPE_common.90.tok"));
  EXPECT_THAT(slurp(folder / "m_common.vocab"), ::testing::StartsWith("<pad>\t0\n</s>\t0\n<s>\t0\n<unk>\t0\n"));
}

TEST_F(PrepareTest, AFailureLeavesTheOldDataset) {
  prepare(request_);
  const std::string checksum = read_manifest(request_.out).checksum();
  folder_.write("a.de", "only one line\n");
  EXPECT_ERROR(prepare(request_), Error, HasSubstr("a.en has 400"), HasSubstr("a.de has 1"));
  const Dataset dataset(request_.out);
  verify(dataset);
  EXPECT_EQ(dataset.manifest().checksum(), checksum);
}

TEST_F(PrepareTest, RefusesFoldersOfOthers) {
  fs::create_directories(request_.out);
  folder_.write("out/letter.txt", "dear");
  EXPECT_ERROR(prepare(request_), Error, HasSubstr(request_.out.string()));
  EXPECT_EQ(slurp(folder_ / "out/letter.txt"), "dear");
}

TEST_F(PrepareTest, MissingInputIsSaidBeforeAnyWork) {
  request_.config.corpus.test = {{"no.en", "no.de", ""}};
  EXPECT_ERROR(prepare(request_), Error, HasSubstr("no.en"));
  EXPECT_FALSE(fs::exists(request_.out / "work/train.clean.tsv"));
}

}  // namespace
}  // namespace verbund
