// SPDX-License-Identifier: Apache-2.0
#include "text/suspect_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string many(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line + " " + std::to_string(i) + "\n";
  return text;
}

const std::string kEnglish = many("It is not the first of the days that we have been here for.", 100);
const std::string kGerman = many("Das ist nicht der erste von den Tagen, die wir hier sind.", 100);
const std::string kFrench = many("Ce n'est pas le premier des jours que nous sommes dans la ville.", 100);

class SuspectSides : public ::testing::Test {
 protected:
  ParallelFiles files(const std::string& source, const std::string& target) {
    const std::string number = std::to_string(count_++);
    return {folder_.write(number + ".src", source).string(), folder_.write(number + ".tgt", target).string(), ""};
  }
  static std::vector<std::string> suspect(const std::vector<ParallelFiles>& texts) {
    return suspect_sides(texts, "en", "de");
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

TEST_F(SuspectSides, NothingIsSaidOfSidesAsTheyShouldBe) {
  EXPECT_THAT(suspect({files(kEnglish, kGerman)}), IsEmpty());
  EXPECT_THAT(suspect({files("a\n", "b\n"), files("", "")}), IsEmpty());
}

TEST_F(SuspectSides, AHeaderOfATsvFile) {
  const auto tsv = [&](const std::string& first_line) {
    return ParallelFiles{"", "", folder_.write("a.tsv", first_line + "\nA dog.\tEin Hund.\n").string()};
  };
  for (const char* header :
       {"en\tde", "EN\tDE", "English\tGerman", "source\ttarget\tscore", " src \ttgt", "en-US\tde_AT"}) {
    EXPECT_THAT(suspect({tsv(header)}), ElementsAre(AllOf(HasSubstr("a.tsv"), HasSubstr("tail -n +2 ")))) << header;
  }
  for (const char* pair : {"A cat.\tEine Katze.", "text\tText aus Worten", "en\ten", "\t"}) {
    EXPECT_THAT(suspect({tsv(pair)}), IsEmpty()) << pair;
  }
}

TEST_F(SuspectSides, MarkupIsNoText) {
  const std::string tmx =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n<body>\n";
  EXPECT_THAT(suspect({files(tmx, tmx)}), ElementsAre(AllOf(HasSubstr("0.src"), HasSubstr("TMX"))));
  EXPECT_THAT(suspect({files("\xEF\xBB\xBF<?xml version=\"1.0\"?><xliff>\n", "a\n")}), ElementsAre(HasSubstr("XLIFF")));
  EXPECT_THAT(suspect({{"", "", folder_.write("a.tmx", tmx).string()}}), ElementsAre(HasSubstr("a.tmx is TMX")));
  EXPECT_THAT(suspect({files("<b>bold</b>\nwhat <?xml is\n", "<b>fett</b>\nwas <?xml ist\n")}), IsEmpty());
}

TEST_F(SuspectSides, SwappedSidesAreSaidOnce) {
  EXPECT_THAT(suspect({files(kGerman, kEnglish), files(kGerman, kEnglish), files(kGerman, kEnglish)}),
              ElementsAre(AllOf(HasSubstr("0.src"), HasSubstr("German"), HasSubstr("0.tgt"), HasSubstr("English"),
                                HasSubstr("2 other texts"),
                                HasSubstr("--set corpus.source_language=de --set corpus.target_language=en"))));
  EXPECT_THAT(suspect_sides({files(kGerman, kEnglish)}, "de", "en"), IsEmpty());
}

TEST_F(SuspectSides, ASideInAnotherLanguage) {
  EXPECT_THAT(suspect({files(kFrench, kGerman)}),
              ElementsAre(AllOf(HasSubstr("0.src"), HasSubstr("French"), HasSubstr("English"),
                                HasSubstr("--set corpus.source_language=fr"))));
  EXPECT_THAT(suspect({files(kEnglish, kFrench)}),
              ElementsAre(AllOf(HasSubstr("1.tgt"), HasSubstr("French"), HasSubstr("German"))));
}

TEST_F(SuspectSides, TheSameFileOnBothSides) {
  ParallelFiles same = files(kEnglish, kEnglish);
  EXPECT_THAT(suspect({same}), ElementsAre(HasSubstr("first 100 pairs")));
  same.target = same.source;
  EXPECT_THAT(suspect({same}), ElementsAre(AllOf(HasSubstr("same file"), HasSubstr("100 pairs"))));
  same.target = (folder_ / "link").string();
  std::filesystem::create_hard_link(same.source, same.target);
  EXPECT_THAT(suspect({same}), ElementsAre(HasSubstr("same file")));
}

TEST_F(SuspectSides, ManyIdenticalPairs) {
  const std::string copied = many("Nothing here.", 60);
  EXPECT_THAT(suspect({files(kEnglish + copied, kGerman + copied)}),
              ElementsAre(AllOf(HasSubstr("60 of the first 160 pairs"), HasSubstr("clean.drop_identical=true"))));
  EXPECT_THAT(suspect({files(kEnglish + kEnglish + copied, kGerman + kGerman + copied)}), IsEmpty());
}

TEST_F(SuspectSides, NumbersInsteadOfText) {
  const auto table = [&](const std::string& text) {
    return ParallelFiles{"", "", folder_.write("x.tsv", text).string()};
  };
  EXPECT_THAT(suspect({table("0.7\tHello\tHallo\n-1.25\tYes\tJa\n")}),
              ElementsAre(AllOf(HasSubstr("x.tsv column 1"), HasSubstr("2 of the first 2 pairs"), HasSubstr("0.7"),
                                HasSubstr("Hello"))));
  EXPECT_THAT(suspect({table("Hello\t1\tHallo\nYes\t2\tJa\n")}), ElementsAre(HasSubstr("x.tsv column 2")));
  EXPECT_THAT(suspect({table("Hello\tHallo\n12\t12\nYes\tJa\n")}), IsEmpty());
  EXPECT_THAT(suspect({files("0.5\n1e-3\n", "Eins.\nZwei.\n")}), ElementsAre(HasSubstr(".src")));
  EXPECT_THAT(suspect({files("", "")}), IsEmpty());
}

TEST_F(SuspectSides, ColumnsOfATable) {
  std::string table;
  for (int i = 0; i < 100; ++i) table += "Das ist nicht der erste von den Tagen.\tIt is not the first of the days.\n";
  EXPECT_THAT(suspect({{"", "", folder_.write("x.tsv", table).string()}}),
              ElementsAre(AllOf(HasSubstr("x.tsv column 1"), HasSubstr("German"), HasSubstr("x.tsv column 2"),
                                HasSubstr("English"))));
}

// Real text, where it is at hand: no alarm as it should be, one when swapped.
TEST_F(SuspectSides, RealText) {
  const std::filesystem::path data = VERBUND_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data";
  for (const char* name :
       {"europarl/europarl-500k.{}.xz", "multi30k/train.{}.gz", "multi30k/train.lc.norm.tok.{}.gz",
        "multi30k/test_2016_flickr.{}.gz", "newstest/newstest2013.{}.gz", "newstest/newstest2014.{}.gz"}) {
    const auto side = [&](const char* code) { return (data / fmt::format(fmt::runtime(name), code)).string(); };
    if (!std::filesystem::exists(side("en"))) continue;
    EXPECT_THAT(suspect({{side("en"), side("de"), ""}}), IsEmpty()) << name;
    EXPECT_THAT(suspect({{side("de"), side("en"), ""}}), ElementsAre(HasSubstr("corpus.source_language=de"))) << name;
  }
}

}  // namespace
}  // namespace verbund
