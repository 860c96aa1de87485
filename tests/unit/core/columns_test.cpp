// SPDX-License-Identifier: Apache-2.0
#include "core/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace verbund {
namespace {

using ::testing::ElementsAre;

TEST(Columns, CountsWhatATerminalShows) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("Grüße"), 5U);
  EXPECT_EQ(display_width("[███···]"), 8U);
  EXPECT_EQ(display_width("日本語"), 6U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U) << "e with an accent that combines";
  EXPECT_EQ(display_width("😀!"), 3U);
  EXPECT_EQ(display_width("ｗｉｄｅ"), 8U);
  EXPECT_EQ(display_width("हु"), 1U) << "a vowel sign that combines";
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2U) << "a Hangul syllable in three parts";
  EXPECT_EQ(display_width("a\u200Db"), 2U) << "a joiner of no width";
  EXPECT_EQ(display_width("caf\xE9"), 4U) << "not UTF-8";
}

TEST(Columns, CutsBetweenCharacters) {
  EXPECT_EQ(fit_columns("abc", 3), "abc");
  EXPECT_EQ(fit_columns("abcd", 3), "abc");
  EXPECT_EQ(fit_columns("üüüü", 3), "üüü");
  EXPECT_EQ(fit_columns("日本語", 5), "日本");
  EXPECT_EQ(fit_columns("日本語", 4), "日本");
  EXPECT_EQ(fit_columns("x", 0), "");
}

TEST(Columns, EveryCutOfAMixedLineFits) {
  const std::string line = "█ü日e\xCC\x81😀·plain";
  for (size_t columns = 0; columns < 16; ++columns) {
    const std::string cut = fit_columns(line, columns);
    EXPECT_LE(display_width(cut), columns);
    EXPECT_EQ(line.substr(0, cut.size()), cut);
  }
}

TEST(Columns, NothingMovesTheCursor) { EXPECT_EQ(fit_columns("a\nb\rc\033[Kd\xFF", 20), "a?b?c?[Kd?"); }

TEST(Columns, PrintableTextHasNoControlCharacters) {
  EXPECT_EQ(printable("plain\n\ttext, Grüße 日本語"), "plain\n\ttext, Grüße 日本語");
  EXPECT_EQ(printable("\033[2J\033]0;title\a\rover\x7F\bwritten"), "?[2J?]0;title??over??written");
  EXPECT_EQ(printable("a\u009B31mb\u0085"), "a?31mb?") << "C1 controls";
  EXPECT_EQ(printable("ü\xFFü\xE2\x82"), "ü?ü??") << "not UTF-8";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Columns, ColoursOfOtherProcessesStay) {
  EXPECT_EQ(printable_with_colours("\033[33mwarning:\033[0m a\033[2Jb\033"), "\033[33mwarning:\033[0m a?[2Jb?");
  EXPECT_EQ(printable_with_colours("\033[3"), "?[3");
  EXPECT_EQ(printable_with_colours("a\033\033[0mb"), "a?\033[0mb");
  EXPECT_EQ(printable_with_colours(""), "");
}

TEST(Columns, WrapsAtWords) {
  EXPECT_THAT(wrap_words("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap_words("a wonderfully long b", 5), ElementsAre("a", "wonderfully", "long", "b"));
  EXPECT_THAT(wrap_words("über über", 9), ElementsAre("über über"));
  EXPECT_THAT(wrap_words("", 9), ElementsAre(""));
}

TEST(Columns, RowsThatFitStayAsTheyAre) {
  EXPECT_EQ(wrap_rows("", 9), "");
  EXPECT_EQ(wrap_rows("a  b\n\n  c\n", 4), "a  b\n\n  c\n");
  EXPECT_EQ(wrap_rows("\033[32mgreen\033[0m", 5), "\033[32mgreen\033[0m");
}

TEST(Columns, RowsAreBrokenBetweenCells) {
  EXPECT_EQ(wrap_rows("step 40  loss 6.4  9 s left", 20), "step 40  loss 6.4\n         9 s left");
  EXPECT_EQ(wrap_rows("step number 40  loss 6.4  9 s left", 26), "step number 40  loss 6.4\n  9 s left");
  EXPECT_EQ(wrap_rows("  time   a bc  d ef", 12), "  time\n    a bc\n    d ef");
}

TEST(Columns, CellsThatDoNotFitAreBrokenBetweenWords) {
  EXPECT_EQ(wrap_rows("one two three four", 9), "one two\n  three\n  four");
  EXPECT_EQ(wrap_rows("a\nover-long-words stay\nb", 8), "a\nover-long-words\n  stay\nb");
}

TEST(Columns, ATextCellIsBrokenBelowItself) {
  EXPECT_EQ(wrap_rows("  -n  the number of workers", 18), "  -n  the number\n      of workers");
  EXPECT_EQ(wrap_rows("\033[33mnote\033[0m  one two three", 12), "\033[33mnote\033[0m  one\n      two\n      three");
}

TEST(Columns, ARowThatContinuesAnotherKeepsItsIndent) {
  EXPECT_EQ(wrap_rows("            one two three", 24), "            one two\n            three");
}

TEST(Columns, ABrokenCommandIsStillOneCommand) {
  EXPECT_EQ(wrap_rows("  use  verbund translate -m runs/demo", 28), "  use  verbund translate \\\n       -m runs/demo");
  EXPECT_EQ(wrap_rows("verbund launch --mpirun-args=\"--mca a b\" -n 2", 28),
            "verbund launch \\\n  --mpirun-args=\"--mca a b\" \\\n  -n 2");
}

TEST(Columns, NoBrokenRowIsLongerThanTheTerminalUnlessAWordIs) {
  const std::string text =
      "  -h,--help      print this help message and exit\n\n  verbund train --config demo --data data/demo --run x\n"
      "step      40  epoch 0.71  loss 3.9472  perplexity 41.35  5210 tokens/s  11 min 20 s left";
  for (size_t columns = 30; columns < 100; ++columns) {
    std::istringstream rows(wrap_rows(text, columns));
    for (std::string row; std::getline(rows, row);) EXPECT_LE(display_width(row), columns) << row;
  }
}

TEST(Columns, TheFirstLinesOfAText) {
  EXPECT_THAT(first_lines("", 10, 2), ElementsAre(""));
  EXPECT_THAT(first_lines("one  two three", 7, 2), ElementsAre("one two", "three"));
}

TEST(Columns, TheFirstLinesSayWhereTheyAreCut) {
  EXPECT_THAT(first_lines("so so so so so so so", 7, 2), ElementsAre("so so", "so so …"));
  EXPECT_THAT(first_lines("aaaaaaaaaaaaaaaaaa", 5, 2), ElementsAre("aaaaa", "aaaa…"));
  EXPECT_THAT(first_lines("日本語日本語日本語", 6, 2), ElementsAre("日本語", "日本…"));
  EXPECT_THAT(first_lines("日本語日本語日本語", 5, 2), ElementsAre("日本", "語日…"));
  EXPECT_THAT(first_lines("a\033[2Jb\xff", 9, 2), ElementsAre("a?[2Jb?"));
}

TEST(Columns, ATableIsLaidOut) {
  const std::vector<std::vector<std::string>> rows = {{"n", "speed", "x"}, {"1", "9.5", "-"}, {"10", "80", "3 %"}};
  EXPECT_EQ(layout_table(rows, 14),
            " n  speed    x\n"
            " 1    9.5    -\n"
            "10     80  3 %\n");
  EXPECT_EQ(layout_table(rows, 13),
            " n  speed\n"
            " 1    9.5\n"
            "10     80\n"
            "\n"
            " n    x\n"
            " 1    -\n"
            "10  3 %\n");
}

}  // namespace
}  // namespace verbund
