// SPDX-License-Identifier: Apache-2.0
#include "decode/translation_stream.h"
#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<Translation> kTwoTranslations = {{"eins", -0.5, {{0, 0}, {2, 1}}, {"_e", "ins"}, true, false},
                                                   {"zwei", -1.25, {}, {"_zwei"}, false, false}};

TEST(TranslationLines, ColumnsAreSeparatedByTabs) {
  EXPECT_THAT(split_columns(""), ElementsAre(""));
  EXPECT_THAT(split_columns("a b"), ElementsAre("a b"));
  EXPECT_THAT(split_columns("a\t\tb\t"), ElementsAre("a", "", "b", ""));
}

TEST(TranslationLines, ATagIsTheFirstWord) {
  const std::vector<std::string> tags = {"<2de>", "<2fr>"};
  EXPECT_TRUE(begins_with_tag("<2fr> a cat", tags));
  EXPECT_TRUE(begins_with_tag("  <2de> a cat", tags));
  EXPECT_FALSE(begins_with_tag("a cat <2de>", tags));
  EXPECT_FALSE(begins_with_tag("<2es> a cat", tags));
  EXPECT_TRUE(begins_with_tag(" ", tags)) << "there is nothing to translate";
}

TEST(TranslationLines, TextAndPrefixComeFromTheirColumns) {
  const Line whole = parse_line({.prefix = "so"}, "a\tb", 7);
  EXPECT_EQ(whole.text, "a\tb");
  EXPECT_EQ(whole.prefix, "so");
  EXPECT_EQ(whole.number, 7u);
  const Line columns = parse_line({.column = 2, .prefix_column = 3}, "a\tb\tc", 8);
  EXPECT_EQ(columns.text, "b");
  EXPECT_EQ(columns.prefix, "c");
  EXPECT_ERROR(parse_line({.column = 1, .prefix_column = 4}, "a\tb\tc", 9), Error, HasSubstr("line 9"),
               HasSubstr("3 columns"), HasSubstr("column 4"));
}

TEST(TranslationLines, EachTranslationIsALineOfTheColumnsAskedFor) {
  const Line line = {"one", "", 5};
  EXPECT_EQ(show_translations({}, "one", line, {}, kTwoTranslations), "eins\nzwei\n");
  EXPECT_EQ(show_translations({.scores = true, .alignment = true, .numbers = true}, "one", line, {}, kTwoTranslations),
            "5\t-0.5000\teins\t0-0 2-1\n5\t-1.2500\tzwei\t\n");
  EXPECT_EQ(show_translations({.column = 2}, "x\tone", line, {}, kTwoTranslations), "x\tone\teins\nx\tone\tzwei\n");
}

TEST(TranslationLines, JsonHasOneObjectALine) {
  const std::string text = show_translations({.column = 1, .json = true, .alignment = true}, "one\t\xff",
                                             {"one", "", 5}, {"_one"}, kTwoTranslations);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const Json object = parse_json(text);
  EXPECT_EQ(object.at("line"), 5);
  EXPECT_EQ(object.at("source"), "one");
  EXPECT_EQ(object.at("columns").at(0), "one");
  EXPECT_EQ(object.at("columns").at(1), "\xEF\xBF\xBD") << "bytes that are not UTF-8 are replaced";
  EXPECT_EQ(object.at("source_pieces"), Json({"_one"}));
  const Json& first = object.at("translations").at(0);
  EXPECT_EQ(first.at("text"), "eins");
  EXPECT_EQ(first.at("score"), -0.5);
  EXPECT_EQ(first.at("alignment"), parse_json("[[0, 0], [2, 1]]"));
  EXPECT_FALSE(first.contains("finished"));
  EXPECT_EQ(object.at("translations").at(1).at("finished"), false);
  const std::string plain = show_translations({.json = true}, "one", {"one", "", 5}, {}, kTwoTranslations);
  EXPECT_FALSE(parse_json(plain).contains("source_pieces"));
  EXPECT_FALSE(parse_json(plain).contains("columns"));
}

class LineWindows : public ::testing::Test {
 protected:
  LineWindow read(size_t most, LineReader& reader) {
    const auto refuse_bad = [](const Line& line) {
      if (line.text == "bad") fail("line {} is bad", line.number);
    };
    return read_window({}, refuse_bad, reader, most, std::chrono::milliseconds(100), number_);
  }

  TemporaryFolder folder_;
  uint64_t number_ = 0;
};

TEST_F(LineWindows, HoldAtMostSoManyLinesNumberedOverAllFiles) {
  LineReader first(folder_.write("first", "a\nb\nc\n")), second(folder_.write("second", "d\n"));
  EXPECT_THAT(read(2, first).inputs, ElementsAre("a", "b"));
  const LineWindow last = read(2, first);
  EXPECT_THAT(last.inputs, ElementsAre("c"));
  EXPECT_FALSE(last.more);
  const LineWindow other = read(2, second);
  EXPECT_THAT(other.inputs, ElementsAre("d"));
  EXPECT_EQ(other.lines.at(0).number, 4u);
}

TEST_F(LineWindows, EndBeforeABadLineWhichIsNamedByItsFile) {
  const fs::path path = folder_.write("text", "a\nbad\nc\n");
  LineReader reader(path);
  const LineWindow window = read(10, reader);
  EXPECT_THAT(window.inputs, ElementsAre("a"));
  EXPECT_THAT(window.bad_line, ::testing::AllOf(HasSubstr(path.string()), HasSubstr("line 2")));
  EXPECT_TRUE(window.more);
  const LineWindow rest = read(10, reader);
  EXPECT_THAT(rest.inputs, ElementsAre("c"));
  EXPECT_EQ(rest.lines.at(0).number, 2u) << "a bad line is not counted";
}

TEST(TranslationTally, CountsSplitLinesAndCutTranslations) {
  TranslationTally tally;
  EXPECT_THAT(tally.warnings(), IsEmpty());
  tally.add({"a", "", 1}, {{.finished = true}});
  EXPECT_THAT(tally.warnings(), IsEmpty());
  tally.add({"b", "", 2}, {{.finished = false}, {.finished = false}});
  EXPECT_THAT(tally.warnings(), ElementsAre(HasSubstr("2 ")));
  tally.add({"c", "", 3}, {{.split = true}});
  EXPECT_THAT(tally.warnings(), ElementsAre(HasSubstr("line 3"), HasSubstr("2 ")));
  tally.add({"d", "", 4}, {{.split = true}});
  EXPECT_THAT(tally.warnings().at(0), ::testing::AllOf(HasSubstr("2 lines"), HasSubstr("line 3")));
}

}  // namespace
}  // namespace verbund
