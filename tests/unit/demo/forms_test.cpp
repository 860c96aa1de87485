#include "demo/forms.h"

#include <gtest/gtest.h>

namespace verbund::demo {
namespace {

constexpr Agreement kIch = {1, false}, kDu = {2, false}, kEr = {3, false}, kWir = {1, true}, kSie = {3, true};

TEST(DemoForms, nouns_decline_by_case_and_number) {
  EXPECT_EQ(german_noun(noun("house"), Case::kGenitive, false), "Hauses");
  EXPECT_EQ(german_noun(noun("house"), Case::kDative, false), "Haus");
  EXPECT_EQ(german_noun(noun("woman"), Case::kGenitive, false), "Frau");
}

TEST(DemoForms, weak_nouns_take_their_ending_everywhere_but_in_the_nominative) {
  EXPECT_EQ(german_noun(noun("boy"), Case::kNominative, false), "Junge");
  EXPECT_EQ(german_noun(noun("boy"), Case::kAccusative, false), "Jungen");
  EXPECT_EQ(german_noun(noun("student"), Case::kDative, false), "Studenten");
  EXPECT_EQ(german_noun(noun("neighbour"), Case::kGenitive, false), "Nachbarn");
}

TEST(DemoForms, dative_plural_adds_n_where_it_can) {
  EXPECT_EQ(german_noun(noun("child"), Case::kDative, true), "Kindern");
  EXPECT_EQ(german_noun(noun("apple"), Case::kDative, true), "Äpfeln");
  EXPECT_EQ(german_noun(noun("dog"), Case::kDative, true), "Hunden");
  EXPECT_EQ(german_noun(noun("woman"), Case::kDative, true), "Frauen");
  EXPECT_EQ(german_noun(noun("car"), Case::kDative, true), "Autos");
  EXPECT_EQ(german_noun(noun("girl"), Case::kDative, true), "Mädchen");
  EXPECT_EQ(german_noun(noun("child"), Case::kNominative, true), "Kinder");
}

TEST(DemoForms, adjective_endings_follow_the_declension) {
  const Inflection nominative = {Case::kNominative, Gender::kMasculine, false};
  EXPECT_EQ(adjective_ending(Declension::kStrong, nominative), "er");
  EXPECT_EQ(adjective_ending(Declension::kMixed, nominative), "er");
  EXPECT_EQ(adjective_ending(Declension::kWeak, nominative), "e");
  const Inflection dative = {Case::kDative, Gender::kNeuter, false};
  EXPECT_EQ(adjective_ending(Declension::kStrong, dative), "em");
  EXPECT_EQ(adjective_ending(Declension::kMixed, dative), "en");
  const Inflection plural = {Case::kAccusative, Gender::kFeminine, true};
  EXPECT_EQ(adjective_ending(Declension::kStrong, plural), "e");
  EXPECT_EQ(adjective_ending(Declension::kMixed, plural), "en");
}

TEST(DemoForms, relative_pronouns_differ_from_articles) {
  EXPECT_EQ(relative_pronoun({Case::kDative, Gender::kMasculine, true}), "denen");
  EXPECT_EQ(relative_pronoun({Case::kGenitive, Gender::kFeminine, false}), "deren");
  EXPECT_EQ(definite_article({Case::kDative, Gender::kMasculine, true}), "den");
}

TEST(DemoForms, present_tense_of_strong_and_weak_verbs) {
  EXPECT_EQ(german_present("lesen", "liest", kIch), "lese");
  EXPECT_EQ(german_present("lesen", "liest", kDu), "liest");
  EXPECT_EQ(german_present("lesen", "liest", kWir), "lesen");
  EXPECT_EQ(german_present("geben", "gibt", kDu), "gibst");
  EXPECT_EQ(german_present("arbeiten", "arbeitet", kDu), "arbeitest");
  EXPECT_EQ(german_present("laden", "lädt", kDu), "lädst");
  EXPECT_EQ(german_present("lächeln", "lächelt", kIch), "lächle");
  EXPECT_EQ(german_present("füttern", "füttert", kIch), "füttere");
  EXPECT_EQ(german_present("waschen", "wäscht", kDu), "wäschst");
}

TEST(DemoForms, present_tense_of_irregular_verbs) {
  EXPECT_EQ(german_present("sein", "ist", kIch), "bin");
  EXPECT_EQ(german_present("sein", "ist", kSie), "sind");
  EXPECT_EQ(german_present("haben", "hat", kDu), "hast");
  EXPECT_EQ(german_present("werden", "wird", kDu), "wirst");
  EXPECT_EQ(german_present("werden", "wird", kIch), "werde");
  EXPECT_EQ(german_present("wissen", "weiß", kDu), "weißt");
  EXPECT_EQ(german_present("wissen", "weiß", kIch), "weiß");
  EXPECT_EQ(german_present("können", "kann", kDu), "kannst");
  EXPECT_EQ(german_present("müssen", "muss", kDu), "musst");
  EXPECT_EQ(german_present("mögen", "möchte", kSie), "möchten");
  EXPECT_EQ(german_present("sollen", "sollte", kDu), "solltest");
}

TEST(DemoForms, preterite) {
  EXPECT_EQ(german_preterite("war", kDu), "warst");
  EXPECT_EQ(german_preterite("hatte", kSie), "hatten");
  EXPECT_EQ(german_preterite("las", kEr), "las");
  EXPECT_EQ(german_preterite("las", kSie), "lasen");
}

TEST(DemoForms, separable_verbs_come_apart) {
  const Verb& get_up = verb("get up", Frame::kIntransitive);
  EXPECT_EQ(german_prefix(get_up), "auf");
  EXPECT_EQ(german_infinitive(get_up), "stehen");
  EXPECT_EQ(whole_infinitive(get_up), "aufstehen");
  EXPECT_EQ(zu_infinitive(get_up), "aufzustehen");
  const Verb& rest = verb("rest", Frame::kIntransitive);
  EXPECT_TRUE(is_reflexive(rest));
  EXPECT_EQ(zu_infinitive(rest), "auszuruhen");
  EXPECT_EQ(zu_infinitive(verb("play the piano", Frame::kIntransitive)), "Klavier zu spielen");
  EXPECT_EQ(zu_infinitive(verb("read", Frame::kTransitive)), "zu lesen");
}

TEST(DemoForms, english_verbs) {
  EXPECT_EQ(english_present("watch", kEr), "watches");
  EXPECT_EQ(english_present("carry", kEr), "carries");
  EXPECT_EQ(english_present("play", kEr), "plays");
  EXPECT_EQ(english_present("go", kEr), "goes");
  EXPECT_EQ(english_present("have", kEr), "has");
  EXPECT_EQ(english_present("be", kIch), "am");
  EXPECT_EQ(english_present("be", kDu), "are");
  EXPECT_EQ(english_present("can", kEr), "can");
  EXPECT_EQ(english_past("be", "was", kSie), "were");
  EXPECT_EQ(english_past("go", "went", kSie), "went");
  EXPECT_EQ(english_tail(verb("pick|up", Frame::kTransitive)), "up");
  EXPECT_TRUE(has_movable_tail(verb("pick|up", Frame::kTransitive)));
  EXPECT_FALSE(has_movable_tail(verb("look for", Frame::kTransitive)));
}

TEST(DemoForms, indefinite_article_goes_by_sound) {
  EXPECT_EQ(indefinite_article("apple"), "an");
  EXPECT_EQ(indefinite_article("book"), "a");
  EXPECT_EQ(indefinite_article("honest man"), "an");
  EXPECT_EQ(indefinite_article("university"), "a");
  EXPECT_EQ(indefinite_article("uncle"), "an");
}

TEST(DemoForms, numbers_are_words_up_to_twelve) {
  EXPECT_EQ(english_number(12), "twelve");
  EXPECT_EQ(german_number(12), "zwölf");
  EXPECT_EQ(english_number(13), "13");
  EXPECT_EQ(german_number(21), "21");
}

}  // namespace
}  // namespace verbund::demo
