// SPDX-License-Identifier: Apache-2.0
#include "text/pair_stream.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/gzipped.h"
#include "support/temporary_folder.h"
#include "text/clean.h"
#include "text/parallel_corpus.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ParallelFiles one_file(const std::string& path, const std::vector<std::string>& columns = {}) {
  ParallelFiles files;
  files.pairs = path;
  files.columns = columns;
  files.languages = {"en", "de"};
  return files;
}

std::vector<std::string> texts_of(const ParallelFiles& files) {
  std::vector<std::string> texts;
  ParallelReader reader({files});
  while (const auto block = reader.next()) {
    for (size_t i = 0; i < block->size(); ++i) {
      texts.push_back(fmt::format("{}:{}|{}", block->line(i), block->source(i), block->target(i)));
    }
  }
  return texts;
}

std::string tmx(const std::string& body, const std::string& prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {
  return prolog + "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n" + body + "</body></tmx>\n";
}

std::string unit(const std::string& source, const std::string& target, const std::string& language = "de") {
  return "<tu><tuv xml:lang=\"en\"><seg>" + source + "</seg></tuv><tuv xml:lang=\"" + language + "\"><seg>" + target +
         "</seg></tuv></tu>\n";
}

class PairStreamTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text) { return folder_.write("file", text).string(); }
  TemporaryFolder folder_;
};

TEST_F(PairStreamTest, TheContentTellsTheFormat) {
  const auto format = [&](const std::string& text) { return recognise_format(one_file(write(text))); };
  EXPECT_EQ(format(tmx("")), PairFormat::kTmx);
  EXPECT_EQ(format("\xEF\xBB\xBF<tmx version=\"1.1\">"), PairFormat::kTmx);
  EXPECT_EQ(format("<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx>"), PairFormat::kTmx);
  EXPECT_EQ(format("{\"translation\": {\"en\": \"a\", \"de\": \"b\"}}\n"), PairFormat::kJsonLines);
  EXPECT_EQ(format("A cat.\tEine Katze.\n"), PairFormat::kTsv);
  EXPECT_EQ(format("{a\tb\n"), PairFormat::kTsv);
  EXPECT_EQ(format("de\ten\n"), PairFormat::kNamedTsv);
  EXPECT_EQ(recognise_format(one_file(write("x\ty\n"), {"x", "y"})), PairFormat::kNamedTsv);
  const std::vector<std::pair<const char*, const char*>> others = {
      {"A cat.\n", "no tab"},       {"<xliff>\n", "XLIFF"}, {"[{\"en\": 1}]", "array"},
      {"{\n\"en\": \"a\"", "JSON"}, {"PAR1xy", "Parquet"},  {"", "no tab"}};
  for (const auto& [text, said] : others) EXPECT_ERROR(format(text), Error, HasSubstr(said), HasSubstr("file"));
}

// A whole corpus on one line is not read to tell its format: of these files, the rest is missing.
TEST_F(PairStreamTest, TheHeadOfAFileTellsTheFormat) {
  const auto cut = [&](const std::string& begin) {
    const std::string gz = gzipped(begin + std::string(20 << 20, 'x'));
    return one_file(write(gz.substr(0, gz.size() / 2)));
  };
  EXPECT_ERROR(recognise_format(cut("[{\"en\": \"")), Error, HasSubstr("array"));
  EXPECT_ERROR(recognise_format(cut("A cat. ")), Error, HasSubstr("no tab"));
  EXPECT_EQ(recognise_format(cut("<?xml version=\"1.0\"?><tmx>")), PairFormat::kTmx);
  EXPECT_EQ(recognise_format(cut("A cat.\t")), PairFormat::kTsv);
  EXPECT_EQ(recognise_format(cut("{\"en\": \"")), PairFormat::kJsonLines);
}

TEST_F(PairStreamTest, NamedColumnsAreFound) {
  const std::string file = write("\xEF\xBB\xBFid\tDE\tscore\ten\n1\tKatze\t0.5\tcat\n2\tHund\t0.7\tdog\n");
  EXPECT_THAT(texts_of(one_file(file)), ElementsAre("2:cat|Katze", "3:dog|Hund"));
  EXPECT_THAT(texts_of(one_file(file, {"de", "id"})), ElementsAre("2:Katze|1", "3:Hund|2"));
  EXPECT_ERROR(texts_of(one_file(file, {"en", "fr"})), Error, HasSubstr("line 1"), HasSubstr("fr"), HasSubstr("score"));
  ParallelFiles said = one_file("", {"en", "de"});
  said.tsv = write("a\tb\n");
  EXPECT_ERROR(texts_of(said), Error, HasSubstr("line 1"), HasSubstr("en"));
  EXPECT_ERROR(texts_of(one_file(write("id\tde\ten\n1\tKatze\n"))), Error, HasSubstr("line 2"), HasSubstr("2 columns"));
  EXPECT_ERROR(texts_of(one_file(file, {"en"})), UsageError, HasSubstr("columns"));
}

// Cleaning drops it from training text; dev and test text are not cleaned.
TEST_F(PairStreamTest, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const std::string mark = "\xEF\xBB\xBF";
  ParallelFiles files;
  files.source = folder_.write("source", mark + "a\n" + mark + "b\n").string();
  files.target = folder_.write("target", mark + "A\nB\n").string();
  EXPECT_THAT(texts_of(files), ElementsAre("1:a|A", "2:" + mark + "b|B"));
  EXPECT_THAT(texts_of(one_file(write(mark + "a\tA\n" + mark + "b\tB\n"))), ElementsAre("1:a|A", "2:" + mark + "b|B"));
  files = ParallelFiles();
  files.tsv = write(mark + "a\tA\n");
  EXPECT_THAT(texts_of(files), ElementsAre("1:a|A"));
  EXPECT_THAT(texts_of(one_file(write(mark + "{\"en\": \"a\", \"de\": \"A\"}\n"))), ElementsAre("1:a|A"));
}

TEST_F(PairStreamTest, ColumnsAreNamedAfterLanguagesInOtherWays) {
  const auto read = [&](const std::string& text) { return texts_of(one_file(write(text))); };
  EXPECT_THAT(read("x\ten-US\tde-DE\n1\tHello\tHallo\n"), ElementsAre("2:Hello|Hallo"));
  EXPECT_THAT(read("id\tDE_de\ten_US\n1\tHallo\tHello\n"), ElementsAre("2:Hello|Hallo"));
  EXPECT_THAT(read("German\tENGLISH\nHallo\tHello\n"), ElementsAre("2:Hello|Hallo"));
  EXPECT_THAT(read("en-US\ten\tde-AT\nHowdy\tHello\tServus\n"), ElementsAre("2:Hello|Servus"));
  const auto describe = [&](const std::string& text) {
    const ParallelFiles files = one_file(write(text));
    return describe_format(recognise_format(files), files);
  };
  EXPECT_THAT(describe("x\ten-US\tde-DE\n"), AllOf(HasSubstr("en-US"), HasSubstr("de-DE")));
  EXPECT_THAT(describe("0.7\tHello\tHallo\n"), AllOf(HasSubstr("3 columns"), HasSubstr("0.7"), HasSubstr("Hello")));
  EXPECT_THAT(describe("Hello\tHallo\n"), AllOf(HasSubstr("Hello"), HasSubstr("Hallo")));
}

// Lines of strangers: nesting would exhaust the stack, and many keys take a time in proportion to their square.
TEST_F(PairStreamTest, JsonThatTakesTooMuchIsRefused) {
  const std::string first = R"({"en": "a", "de": "b"})"
                            "\n";
  const std::string deep = R"({"en": )" + std::string(200'000, '[') + std::string(200'000, ']') + ", \"de\": \"b\"}\n";
  EXPECT_ERROR(texts_of(one_file(write(first + deep))), Error, HasSubstr("line 2"));
  std::string keys = R"({"en": "c", "de": "d")";
  for (int i = 0; i < 9000; ++i) keys += fmt::format(", \"k{}\": 0", i);
  EXPECT_THAT(texts_of(one_file(write(first + keys + "}\n"))), ElementsAre("1:a|b", "2:c|d"));
  for (int i = 9000; i < 10'000; ++i) keys += fmt::format(", \"k{}\": 0", i);
  EXPECT_ERROR(texts_of(one_file(write(first + keys + "}\n"))), Error, HasSubstr("line 2"), HasSubstr("10000"));
}

// One name alone: the other column cannot be guessed. As --tsv, the file has pairs in columns 1 and 2.
TEST_F(PairStreamTest, OneNameOfTwoIsRefused) {
  for (const char* header : {"de\tscore\tfr", "en_US\ten-GB\tde", "English\tTranslation", "en\ten"}) {
    const std::string file = write(std::string(header) + "\nHallo\t1\tsalut\n");
    EXPECT_ERROR(recognise_format(one_file(file)), Error, HasSubstr("line 1"), HasSubstr("columns:"));
    ParallelFiles tsv;
    tsv.tsv = file;
    EXPECT_EQ(texts_of(tsv).at(1), "2:Hallo|1");
  }
}

TEST_F(PairStreamTest, JsonLines) {
  const std::string file = write(
      "{\"translation\": {\"en\": \"a \\\"cat\\\"\", \"de\": \"Kat\\u00e4\", \"fr\": \"chat\"}, \"id\": 1}\n\n"
      "{\"de\": \"zwei\\nZeilen\\t\", \"en\": \"two lines\"}\n{\"en\": null, \"de\": \"x\"}");
  EXPECT_THAT(texts_of(one_file(file)), ElementsAre("1:a \"cat\"|Katä", "3:two lines|zwei Zeilen", "4:|x"));
  EXPECT_THAT(texts_of(one_file(file, {"de", "en"}))[0], "1:Katä|a \"cat\"");
  EXPECT_ERROR(texts_of(one_file(file, {"en", "fr"})), Error, HasSubstr("line 3"), HasSubstr("fr"),
               HasSubstr("de, en"));
  const std::string good = "{\"en\": \"a\", \"de\": \"b\"}\n";
  EXPECT_ERROR(texts_of(one_file(write(good + "{\"en\": \"a\", \"d"))), Error, HasSubstr("line 2"));
  EXPECT_ERROR(texts_of(one_file(write(good + "[1]\n"))), Error, HasSubstr("line 2"));
  EXPECT_ERROR(texts_of(one_file(write(good + "{\"en\": 7, \"de\": \"b\"}\n"))), Error, HasSubstr("line 2"),
               HasSubstr("7"));
}

TEST_F(PairStreamTest, Tmx) {
  const std::string file = write(tmx(
      unit("A &lt;b&gt; &amp; &#65;", "Ä") +
      unit("code <bpt i=\"1\">&lt;b></bpt>bold<hi> text</hi><ph/>", "x", "de-AT") +
      "<tu><tuv lang=\"EN_us\"><seg>\n    old  style\n  </seg></tuv>\n<tuv xml:lang=\"de\"><prop>p</prop><seg>alt</seg>"
      "</tuv><tuv xml:lang=\"de\"><seg>zweite</seg></tuv></tu>" +
      unit("no pair", "pas", "fr")));
  EXPECT_THAT(texts_of(one_file(file)), ElementsAre("3:A <b> & A|Ä", "4:code bold text|x", "5:old  style|alt"));
  EXPECT_THAT(texts_of(one_file(file, {"fr", "en"})), ElementsAre("8:pas|no pair"));
  EXPECT_ERROR(texts_of(one_file(file, {"en", "nl"})), Error, HasSubstr("none of 4"), HasSubstr("fr (1)"));
}

TEST_F(PairStreamTest, TmxInOtherEncodings) {
  const std::string latin = tmx(unit("a", "\xE4"), "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n");
  EXPECT_THAT(texts_of(one_file(write(latin))), ElementsAre("3:a|ä"));
  std::string wide = "\xFF\xFE";
  for (const char c : tmx(unit("a", "b"), "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n"))
    wide += std::string{c, '\0'};
  EXPECT_THAT(texts_of(one_file(write(wide))), ElementsAre("3:a|b"));
  const std::string windows = tmx(unit("a", "\x80"), "<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n");
  EXPECT_ERROR(texts_of(one_file(write(windows))), Error, HasSubstr("iconv -f windows-1252 -t utf-8"));
}

// The header of TMX names the encoding of the original document: o-encoding.
TEST_F(PairStreamTest, OnlyTheDeclarationNamesTheEncoding) {
  for (const char* mark : {"", "\xEF\xBB\xBF"}) {
    const std::string text = mark + std::string("<tmx version=\"1.4\"><header o-encoding=\"ISO-8859-1\"/><body>") +
                             unit("ä", "b\xE4") + "</body></tmx>\n";
    EXPECT_THAT(texts_of(one_file(write(text))), ElementsAre("1:ä|b\xFF"));
  }
}

TEST_F(PairStreamTest, ManyBytesThatAreNotUtf8TakeNoLonger) {
  const std::string bad(300000, '\xE4');
  EXPECT_THAT(texts_of(one_file(write(tmx(unit("a", bad))))), ElementsAre("3:a|" + std::string(bad.size(), '\xFF')));
}

// As in plain text: cleaning counts such pairs, and fails or drops them; control characters disappear.
TEST_F(PairStreamTest, BytesThatAreNotUtf8) {
  const std::vector<std::string> texts = {tmx(unit("go\x01od", "gut") +
                                              unit("b\xE4"
                                                   "d",
                                                   "schlecht") +
                                              unit("\xC3", "\xF0\x9F")),
                                          "{\"en\": \"good\", \"de\": \"gut\"}\n{\"en\": \"b\xE4"
                                          "d\", \"de\": \"schlecht\"}\n{\"en\": \"\xC3\", \"de\": \"x\"}\n",
                                          "en\tde\ngood\tgut\nb\xE4"
                                          "d\tschlecht\nx\t\xC3\n"};
  for (const std::string& text : texts) {
    const ParallelFiles files = one_file(write(text));
    CleanConfig config;
    EXPECT_ERROR(clean_corpora({files}, config, 1, folder_ / "out"), Error, HasSubstr("2 of 3 pairs"),
                 HasSubstr("file:"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
    config.invalid_utf8 = InvalidText::kDrop;
    const CleanReport report = clean_corpora({files}, config, 1, folder_ / "out");
    EXPECT_EQ(report.dropped[static_cast<size_t>(Rule::kInvalidUtf8)], 2u);
    EXPECT_EQ(slurp(folder_ / "out"), "good\tgut\n");
    std::filesystem::remove(folder_ / "out");
  }
}

TEST_F(PairStreamTest, BrokenXmlNamesTheLine) {
  const std::string whole = tmx(unit("a", "b") + unit("c", "d"));
  EXPECT_ERROR(texts_of(one_file(write(tmx(unit("a", "b") + "<tu><tuv></tu>")))), Error, HasSubstr("line 4"),
               HasSubstr("file"));
  EXPECT_ERROR(texts_of(one_file(write(tmx(unit("a & b", "c"))))), Error, HasSubstr("line 3"));
  EXPECT_ERROR(texts_of(one_file(write(tmx(unit("&nbsp;", "c"))))), Error, HasSubstr("line 3"));
  for (size_t end = whole.find("<tmx") + 5; end + 2 < whole.size(); ++end) {  // cut anywhere
    EXPECT_ERROR(texts_of(one_file(write(whole.substr(0, end)))), Error, HasSubstr("truncated"));
  }
  EXPECT_ERROR(texts_of(one_file(write("<?xml version=\"1.0\"?><x>\n<tmx/></x>"))), Error, HasSubstr("<x>"));
  EXPECT_ERROR(texts_of(one_file(write(tmx("")))), Error, HasSubstr("0 units"));
}

TEST_F(PairStreamTest, EntitiesAreRefused) {
  const auto with = [&](const std::string& declarations, const std::string& text) {
    return one_file(write(tmx(unit(text, "b"), "<!DOCTYPE tmx [" + declarations + "]>\n")));
  };
  std::string bomb = "<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 30; ++i) bomb += fmt::format("<!ENTITY a{} \"&a{};&a{};\">", i, i - 1, i - 1);
  EXPECT_ERROR(texts_of(with(bomb, "&a29;")), Error, HasSubstr("line 1"), HasSubstr("entity a0"));
  EXPECT_ERROR(texts_of(with("<!ENTITY e SYSTEM \"file:///etc/passwd\">", "&e;")), Error, HasSubstr("entity e"));
  EXPECT_ERROR(texts_of(with("<!ENTITY % p SYSTEM \"http://127.0.0.1/x\"> %p;", "a")), Error, HasSubstr("entity p"));
  const std::string outside = tmx(unit("&e;", "b"), "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n");
  EXPECT_ERROR(texts_of(one_file(write(outside))), Error, HasSubstr("&e;"));
}

TEST_F(PairStreamTest, SizesAreBounded) {
  EXPECT_ERROR(texts_of(one_file(write(tmx(unit(std::string(2 << 20, 'a'), "b"))))), Error, HasSubstr("segment"));
  const std::string tag = "<prop type=\"" + std::string(9 << 20, 'a') + "\"/>";
  EXPECT_ERROR(texts_of(one_file(write(tmx(tag + unit("a", "b"))))), Error, HasSubstr("tag"));
}

// Chunks of the file end anywhere, also inside a character.
TEST_F(PairStreamTest, ALargeTmxIsReadInChunks) {
  std::string body;
  for (int i = 0; i < 20000; ++i) body += unit(fmt::format("{} ääää", i), "ö");
  const std::vector<std::string> texts = texts_of(one_file(write(tmx(body))));
  ASSERT_EQ(texts.size(), 20000u);
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(texts[static_cast<size_t>(i)], fmt::format("{}:{} ääää|ö", i + 3, i));
}

TEST(OneLine, KeepsBlanksButNoLineEnds) {
  EXPECT_EQ(one_line("  a  b \n\t c\td\r\n"), "a  b c d");
  EXPECT_EQ(one_line(" \n"), "");
  EXPECT_EQ(one_line(""), "");
}

}  // namespace
}  // namespace verbund
