// SPDX-License-Identifier: Apache-2.0
#include "text/clean.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

std::string normalized(std::string_view text, UnicodeForm form = UnicodeForm::kNfc) {
  std::string result;
  normalize_line(text, form, result);
  return result;
}

TEST(Normalize, WhiteSpaceAndControls) {
  EXPECT_EQ(normalized("already fine"), "already fine");
  EXPECT_EQ(normalized("  two  blanks\tand a tab \r"), "two blanks and a tab");
  EXPECT_EQ(normalized("no\u00A0break, \u2003em, \u2028line"), "no break, em, line");
  EXPECT_EQ(normalized("be\x07ll, zero\u200Bwidth, \uFEFFmark, \u0085next"), "bell, zerowidth, mark, next");
  EXPECT_EQ(normalized(" \t "), "");
}

TEST(Normalize, UnicodeForms) {
  const std::string decomposed = "u\u0308ber \uFB01ne";
  EXPECT_EQ(normalized(decomposed, UnicodeForm::kNone), decomposed);
  EXPECT_EQ(normalized(decomposed, UnicodeForm::kNfc), "über \uFB01ne");
  EXPECT_EQ(normalized(decomposed, UnicodeForm::kNfkc), "über fine");
}

TEST(Normalize, Words) {
  EXPECT_EQ(count_words(""), 0u);
  EXPECT_EQ(count_words("one"), 1u);
  EXPECT_EQ(count_words("one two three"), 3u);
}

CleanReport clean_text(const TemporaryFolder& folder, const std::string& tsv, const CleanConfig& config,
                       int threads = 2) {
  const std::string input = folder.write("in.tsv", tsv);
  return clean_corpora({{"", "", input}}, config, threads, folder / "out.tsv");
}

uint64_t dropped(const CleanReport& report, Rule rule) { return report.dropped[static_cast<size_t>(rule)]; }

TEST(Clean, EachRuleCountsItsOwn) {
  TemporaryFolder folder;
  CleanConfig config;
  config.min_words = 2;
  config.max_words = 5;
  config.max_ratio = 2;
  config.drop_identical = true;
  config.drop_duplicates = true;
  const CleanReport report = clean_text(folder,
                                        "good one\tgutes hier\n"
                                        "\tleer ist\n"
                                        "short\tnur zwei\n"
                                        "one two three four five six\ta b c d\n"
                                        "one two\ta b c d e\n"
                                        "same same\tsame same\n"
                                        "good one\tgutes hier\n"
                                        "good  one \tgutes\u00A0hier\n",
                                        config);
  EXPECT_EQ(report.pairs_before, 8u);
  EXPECT_EQ(report.pairs_after, 1u);
  EXPECT_EQ(dropped(report, Rule::kEmpty), 1u);
  EXPECT_EQ(dropped(report, Rule::kTooShort), 1u);
  EXPECT_EQ(dropped(report, Rule::kTooLong), 1u);
  EXPECT_EQ(dropped(report, Rule::kRatio), 1u);
  EXPECT_EQ(dropped(report, Rule::kIdentical), 1u);
  EXPECT_EQ(dropped(report, Rule::kDuplicate), 2u);
  EXPECT_EQ(slurp(folder / "out.tsv"), "good one\tgutes hier\n");
  EXPECT_EQ(report.source_bytes_after, std::string("good one\n").size());
  EXPECT_EQ(report.target_bytes_after, std::string("gutes hier\n").size());
}

TEST(Clean, LimitsAreIncluded) {
  CleanConfig config;
  config.max_words = 3;
  config.max_ratio = 3;
  Rule broken{};
  EXPECT_TRUE(passes(config, "a b c", "x", broken));
  EXPECT_FALSE(passes(config, "a b c d", "x y", broken));
  EXPECT_EQ(broken, Rule::kTooLong);
  config.max_words = 10;
  EXPECT_FALSE(passes(config, "x", "a b c d", broken));
  EXPECT_EQ(broken, Rule::kRatio);
}

TEST(Clean, InvalidUtf8FailsOrDropsWithLineNumbers) {
  TemporaryFolder folder;
  const std::string text =
      "fine\tgut\nb\xFC"
      "ro\tgut\nfine\tschlecht \xC3\n";
  CleanConfig config;
  EXPECT_ERROR(clean_text(folder, text, config), Error, HasSubstr("2 of 3 pairs"), HasSubstr("in.tsv:2"),
               HasSubstr("in.tsv:3"), HasSubstr("clean.invalid_utf8=drop"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.tsv"));
  config.invalid_utf8 = InvalidText::kDrop;
  const CleanReport report = clean_text(folder, text, config);
  EXPECT_EQ(dropped(report, Rule::kInvalidUtf8), 2u);
  EXPECT_EQ(slurp(folder / "out.tsv"), "fine\tgut\n");
}

TEST(Clean, NothingLeftIsAnError) {
  TemporaryFolder folder;
  EXPECT_ERROR(clean_text(folder, "\t\n\t\n", {}), Error, HasSubstr("2 pairs"), HasSubstr("empty 2"));
  EXPECT_ERROR(clean_text(folder, "", {}), Error, HasSubstr("in.tsv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.tsv"));
}

TEST(Clean, ThreadsDoNotChangeTheResult) {
  TemporaryFolder folder;
  Random random(1, 0);
  std::string text;
  for (int i = 0; i < 30000; ++i) {
    text += "w" + std::to_string(random.below(50)) + (i % 9 == 0 ? "" : " x") + "\t" + std::to_string(i % 700) + "\n";
  }
  CleanConfig config;
  config.drop_duplicates = true;
  const CleanReport one = clean_text(folder, text, config, 1);
  const std::string expected = slurp(folder / "out.tsv");
  const CleanReport four = clean_text(folder, text, config, 4);
  EXPECT_EQ(slurp(folder / "out.tsv"), expected);
  EXPECT_EQ(one.dropped, four.dropped);
  EXPECT_GT(dropped(one, Rule::kDuplicate), 0u);
}

}  // namespace
}  // namespace verbund
