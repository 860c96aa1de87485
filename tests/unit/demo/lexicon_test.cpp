#include "demo/lexicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/error.h"
#include "demo/forms.h"

namespace verbund::demo {
namespace {

bool is_capital(std::string_view text) {
  return (text[0] >= 'A' && text[0] <= 'Z') || (text[0] == '\xC3' && static_cast<unsigned char>(text[1]) < 0xA0);
}

TEST(DemoLexicon, is_as_rich_as_promised) {
  EXPECT_GE(nouns().size(), 200u);
  EXPECT_GE(verbs().size(), 150u);
  EXPECT_GE(adjectives().size() + colours().size() + attitudes().size(), 60u);
  EXPECT_GE(names().size(), 20u);
}

TEST(DemoLexicon, every_english_word_has_one_german_word) {
  std::set<std::string> seen;
  for (const Noun& entry : nouns()) EXPECT_TRUE(seen.insert(entry.en).second) << entry.en;
  for (const Noun& entry : nouns()) {
    if (*entry.en_plural) {
      EXPECT_TRUE(seen.insert(entry.en_plural).second) << entry.en_plural;
    }
  }
  seen.clear();
  for (const auto& table : {adjectives(), colours(), attitudes()}) {
    for (const Adjective& entry : table) EXPECT_TRUE(seen.insert(entry.en).second) << entry.en;
  }
  std::set<std::pair<std::string, Frame>> frames;
  for (const Verb& entry : verbs()) EXPECT_TRUE(frames.emplace(entry.en, entry.frame).second) << entry.en;
}

TEST(DemoLexicon, german_nouns_are_written_with_capitals) {
  for (const Noun& entry : nouns()) {
    EXPECT_TRUE(is_capital(entry.de)) << entry.de;
    if (*entry.de_plural) {
      EXPECT_TRUE(is_capital(entry.de_plural)) << entry.de_plural;
    }
  }
}

TEST(DemoLexicon, nouns_have_the_forms_they_need) {
  for (const Noun& entry : nouns()) {
    const bool needs_plural = !entry.has(kMass) && !entry.has(kSingular);
    if (needs_plural) {
      EXPECT_TRUE(*entry.en_plural && *entry.de_plural) << entry.en;
    }
    EXPECT_EQ(entry.gender == Gender::kFeminine, *entry.ending == '\0') << entry.de;
    if (entry.is_weak()) {
      EXPECT_EQ(entry.gender, Gender::kMasculine) << entry.de;
    }
    if (entry.is_weak()) {
      EXPECT_EQ(std::string(entry.de) + entry.ending, entry.de_plural);
    }
  }
}

TEST(DemoLexicon, features_belong_to_something) {
  for (const Noun& entry : nouns()) EXPECT_EQ((entry.classes & kFeature) != 0, entry.owners != 0) << entry.en;
}

TEST(DemoLexicon, german_verb_forms_fit_together) {
  for (const Verb& entry : verbs()) {
    const std::string_view infinitive = german_infinitive(entry), participle = entry.de_participle;
    EXPECT_TRUE(infinitive.ends_with("en") || infinitive.ends_with("eln") || infinitive.ends_with("ern") ||
                infinitive == "sein")
        << entry.de;
    EXPECT_TRUE(participle.starts_with(german_prefix(entry))) << participle;
    EXPECT_TRUE(participle.ends_with('t') || participle.ends_with("en")) << participle;
    const bool preterite_present = infinitive == "wissen" || infinitive == "mögen";
    EXPECT_EQ(std::string_view(entry.de_present).ends_with('t'), !preterite_present) << entry.de_present;
    const bool changes_first_letter = infinitive == "sein" || infinitive == "essen";
    EXPECT_EQ(entry.de_present[0] != infinitive[0], changes_first_letter) << entry.de_present;
    EXPECT_EQ(entry.frame == Frame::kPrepositional, entry.de_preposition != nullptr) << entry.de;
  }
}

TEST(DemoLexicon, english_verb_forms_fit_together) {
  for (const Verb& entry : verbs()) {
    const std::string_view head = english_head(entry), past = entry.en_past;
    EXPECT_TRUE(std::string_view(entry.en_ing).ends_with("ing")) << entry.en;
    EXPECT_EQ(entry.en_ing[0], head[0]) << entry.en;
    const bool regular = past.ends_with("ed") && head != "feed";
    if (regular) {
      EXPECT_TRUE(past == entry.en_participle || std::string_view(entry.en_participle).ends_with('n')) << past;
    }
  }
}

TEST(DemoLexicon, gradable_adjectives_have_all_degrees_in_both_languages) {
  for (const Adjective& entry : adjectives()) {
    EXPECT_EQ(entry.is_gradable(), *entry.en_superlative != '\0') << entry.en;
    EXPECT_EQ(entry.is_gradable(), *entry.de_comparative != '\0') << entry.en;
    EXPECT_EQ(entry.is_gradable(), *entry.de_superlative != '\0') << entry.en;
    if (entry.is_gradable()) {
      EXPECT_TRUE(std::string_view(entry.de_comparative).ends_with("er")) << entry.de;
      EXPECT_THAT(entry.de_superlative, testing::AnyOf(testing::EndsWith("st"), testing::StrEq("größt"))) << entry.de;
    }
    EXPECT_NE(entry.classes, 0u) << entry.en;
  }
}

TEST(DemoLexicon, names_form_their_genitive_with_s) {
  for (const Name& entry : names())
    EXPECT_THAT(entry.text, testing::Not(testing::MatchesRegex(".*[sxzß]"))) << entry.text;
}

TEST(DemoLexicon, an_unknown_word_is_named) {
  try {
    noun("unicorn");
    FAIL() << "found a unicorn";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("unicorn"));
  }
}

}  // namespace
}  // namespace verbund::demo
