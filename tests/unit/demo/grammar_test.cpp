// SPDX-License-Identifier: Apache-2.0
// Reading of grammars, and what the notation means.
#include "demo/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "demo/derivation.h"

namespace verbund::demo {
namespace {

Grammar read(const std::string& text) {
  const BuiltinFile file{"test", text};
  return read_grammar({&file, 1});
}

// The first sentences of a grammar, in one language.
std::set<std::string> sentences(const std::string& text, const std::string& language = "en", int count = 50) {
  const Grammar grammar = read(text);
  Random random(1, 0);
  std::set<std::string> found;
  for (int i = 0; i < count; ++i) {
    found.insert(write_sentence(grammar, *derive(grammar, "Sentence", random), language));
  }
  return found;
}

// The error of reading or using the grammar begins with the position of the mistake.
void expect_error_at(int line, const std::string& text, const std::string& what) {
  try {
    sentences(text);
    FAIL() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("corpora/demo/test.txt:" + std::to_string(line) + ": "));
    EXPECT_THAT(error.what(), testing::HasSubstr(what));
  }
}

constexpr const char* kWords = R"(
feature number : sg pl
class living dead
words Noun once : en-sg en-pl de is
  cat    cats    Katze  living
  stone  stones  Stein  dead
words Verb : en de subject
  sleep  schlafen  living
table Noun.en : sg: {sg} | : {pl}
)";

TEST(DemoGrammar, words_fit_the_classes_demanded) {
  EXPECT_THAT(sentences(std::string(kWords) + "rule Sentence : v:Verb n:Noun(@v.subject)\n  en {n pl} {v} .\n"),
              testing::ElementsAre("Cats sleep ."));
  EXPECT_THAT(sentences(std::string(kWords) + "rule Sentence : n:Noun(dead)\n  en {n sg}\n"),
              testing::ElementsAre("Stone"));
}

TEST(DemoGrammar, features_come_from_rules_and_parts) {
  EXPECT_THAT(sentences(std::string(kWords) + "rule Sentence[@n] : n:NP(pl)\n  en {n}\nrule NP[sg] : x:Noun\n"
                                              "rule NP[pl] : x:Noun(living)\n"),
              testing::ElementsAre("Cats"));
}

TEST(DemoGrammar, a_word_comes_once_and_a_part_may_be_left_out) {
  EXPECT_THAT(sentences(std::string(kWords) + "rule Sentence[sg] : a:Noun b:Noun?50\n  en {a} {b}\n"),
              testing::ElementsAre("Cat ", "Cat stone", "Stone ", "Stone cat"));
}

TEST(DemoGrammar, a_rule_of_weight_0_is_the_last_resort) {
  EXPECT_THAT(sentences("rule Sentence 0 :\n  en last\nrule Sentence :\n  en first\n"), testing::ElementsAre("First"));
  EXPECT_THAT(sentences("rule Sentence 0 :\n  en last\n"), testing::ElementsAre("Last"));
}

TEST(DemoGrammar, the_antecedent_lends_its_features) {
  EXPECT_THAT(sentences("feature number : sg pl\ntable en-his : sg: his | : their\n"
                        "rule S[pl] :\n  en they\nrule O[sg] :\n  en {his @^} {his} dog\n"
                        "rule Sentence : s:S o:O\n  en {s} see {o ^s}\n"),
              testing::ElementsAre("They see their his dog"));
}

TEST(DemoGrammar, spelling_is_applied_in_order) {
  EXPECT_THAT(sentences("rule Sentence :\n  de über in ~das Haus ~\nspelling de\n  _in_~das => _ins | ~ => !\n", "de"),
              testing::ElementsAre("Über ins Haus !"));
}

TEST(DemoGrammar, mistakes_are_reported_with_file_and_line) {
  expect_error_at(2, "\nverb x\n", "verb");
  expect_error_at(1, "  en x\n", "indented");
  expect_error_at(2, "class a\nclass b a\n", "\"a\"");
  expect_error_at(3, "words A : en is\n  x  -\n  y  blue\n", "\"blue\"");
  expect_error_at(2, "words A : en de is\n  x  y\n", "2 cells in 3 columns");
  expect_error_at(3, "feature f : a b\ntable en-x : a  b\n  a : one\n", "1 cells in 2 columns");
  expect_error_at(2, "table en-x : : y\ntable en-x : : z\n", "\"en-x\"");
  expect_error_at(1, "table x : : y\n", "\"x\"");
  expect_error_at(1, "rule Sentence[a : b\n", "CATEGORY");
  expect_error_at(1, "rule Sentence : Noun\n", "Noun");
  expect_error_at(2, "rule Sentence :\n  fr mot\n", "\"fr\"");
  expect_error_at(2, "rule Sentence :\n  en {x\n", "}");
  expect_error_at(2, "spelling en\n  a b\n", "=>");
}

TEST(DemoGrammar, mistakes_in_references_are_reported_with_file_and_line) {
  expect_error_at(1, "rule Sentence : n:Noun\n  en {n}\n", "\"Noun\"");
  expect_error_at(2, "rule Sentence :\n  en {n.sg}\n", "\"n.sg\"");
  expect_error_at(3, "rule N :\nrule Sentence : n:N\n  en {n @m}\n", "\"m\"");
  expect_error_at(2, "rule N :\nrule Sentence : n:N m:N(@n.object)\n", "\"n.object\"");
  expect_error_at(2, "feature f : a b\ntable en-x : a: y\nrule Sentence :\n  en {x}\n", "fit");
}

}  // namespace
}  // namespace verbund::demo
