// Noun phrases and their declension, seen in whole sentences.
#include <gtest/gtest.h>

#include "unit/demo/building_blocks.h"

namespace verbund::demo {
namespace {

void expect_pair(const Clause& of, std::string_view english, std::string_view german) {
  EXPECT_EQ(english_sentence(statement(of)), english);
  EXPECT_EQ(german_sentence(statement(of)), german);
}

Clause sees(NounPhrase subject, NounPhrase object) { return transitive(std::move(subject), "see", std::move(object)); }
Clause helps(NounPhrase subject, NounPhrase object) {
  Clause result = clause(std::move(subject), "help", Frame::kDative);
  result.direct = {std::move(object)};
  return result;
}

TEST(DemoPhrase, weak_declension_after_the_definite_article) {
  expect_pair(sees(the("man", "old"), the("dog", "young")), "The old man sees the young dog.",
              "Der alte Mann sieht den jungen Hund.");
  expect_pair(helps(the("woman", "old"), the("child", "small")), "The old woman helps the small child.",
              "Die alte Frau hilft dem kleinen Kind.");
}

TEST(DemoPhrase, mixed_declension_after_ein_and_mein) {
  expect_pair(sees(a("child", "small"), a("house", "big")), "A small child sees a big house.",
              "Ein kleines Kind sieht ein großes Haus.");
  expect_pair(helps(possessed(Pronoun::kI, "brother", "young"), possessed(Pronoun::kShe, "father", "old")),
              "My young brother helps her old father.", "Mein junger Bruder hilft ihrem alten Vater.");
  expect_pair(sees(pronoun(Pronoun::kWe), plural(possessed(Pronoun::kYou, "friend", "new"))),
              "We see your new friends.", "Wir sehen deine neuen Freunde.");
}

TEST(DemoPhrase, strong_declension_without_article) {
  expect_pair(transitive(named("Anna"), "drink", bare("coffee", "cold")), "Anna drinks cold coffee.",
              "Anna trinkt kalten Kaffee.");
  expect_pair(sees(named("Anna"), plural(bare("house", "old"))), "Anna sees old houses.", "Anna sieht alte Häuser.");
  expect_pair(sees(named("Anna"), counted(3, "cat", "young")), "Anna sees three young cats.",
              "Anna sieht drei junge Katzen.");
  expect_pair(transitive(named("Peter"), "buy", counted(21, "book")), "Peter buys 21 books.", "Peter kauft 21 Bücher.");
}

TEST(DemoPhrase, dative_plural) {
  expect_pair(helps(named("Peter"), plural(the("child", "small"))), "Peter helps the small children.",
              "Peter hilft den kleinen Kindern.");
  expect_pair(helps(named("Peter"), counted(5, "woman", "tired")), "Peter helps five tired women.",
              "Peter hilft fünf müden Frauen.");
}

TEST(DemoPhrase, weak_nouns) {
  expect_pair(sees(the("boy"), the("student")), "The boy sees the student.", "Der Junge sieht den Studenten.");
  expect_pair(helps(the("pilot"), a("neighbour", "old")), "The pilot helps an old neighbour.",
              "Der Pilot hilft einem alten Nachbarn.");
}

TEST(DemoPhrase, determiners_choose_the_declension_of_the_adjective) {
  expect_pair(sees(pronoun(Pronoun::kI), plural(phrase(Determiner::kAll, "dog", "old"))), "I see all old dogs.",
              "Ich sehe alle alten Hunde.");
  expect_pair(sees(pronoun(Pronoun::kI), plural(phrase(Determiner::kMany, "dog", "old"))), "I see many old dogs.",
              "Ich sehe viele alte Hunde.");
  expect_pair(sees(pronoun(Pronoun::kI), plural(phrase(Determiner::kSome, "dog", "old"))), "I see some old dogs.",
              "Ich sehe einige alte Hunde.");
  expect_pair(sees(plural(phrase(Determiner::kBoth, "child", "small")), phrase(Determiner::kThis, "horse", "big")),
              "Both small children see this big horse.", "Beide kleinen Kinder sehen dieses große Pferd.");
  expect_pair(helps(phrase(Determiner::kEvery, "teacher", "young"), phrase(Determiner::kThis, "woman", "poor")),
              "Every young teacher helps this poor woman.", "Jeder junge Lehrer hilft dieser armen Frau.");
  expect_pair(sees(phrase(Determiner::kNo, "student"), the("film")), "No student sees the film.",
              "Kein Student sieht den Film.");
}

TEST(DemoPhrase, possessives_agree_with_owner_and_noun) {
  expect_pair(sees(named("Anna"), possessed(Pronoun::kShe, "dog")), "Anna sees her dog.", "Anna sieht ihren Hund.");
  expect_pair(sees(named("Peter"), possessed(Pronoun::kHe, "cat")), "Peter sees his cat.", "Peter sieht seine Katze.");
  expect_pair(sees(the("child"), plural(possessed(Pronoun::kThey, "horse"))), "The child sees their horses.",
              "Das Kind sieht ihre Pferde.");
  NounPhrase its = possessed(Pronoun::kIt, "apple");
  its.gender = Gender::kFeminine;
  expect_pair(transitive(the("cat"), "eat", its), "The cat eats its apple.", "Die Katze isst ihren Apfel.");
  its.gender = Gender::kMasculine;
  expect_pair(transitive(the("dog"), "eat", its), "The dog eats its apple.", "Der Hund isst seinen Apfel.");
}

TEST(DemoPhrase, a_name_owns_in_the_genitive) {
  NounPhrase car = phrase(Determiner::kOfName, "car", "new");
  car.name = &name("Anna");
  expect_pair(sees(named("Peter"), car), "Peter sees Anna's new car.", "Peter sieht Annas neues Auto.");
}

TEST(DemoPhrase, genitive_of_nouns) {
  NounPhrase colour = the("colour");
  colour.genitive = {the("car", "new")};
  expect_pair(transitive(named("Anna"), "like", colour), "Anna likes the colour of the new car.",
              "Anna mag die Farbe des neuen Autos.");
  NounPhrase owner = the("owner");
  owner.genitive = {phrase(Determiner::kThis, "cat")};
  expect_pair(transitive(named("Anna"), "know", owner), "Anna knows the owner of this cat.",
              "Anna kennt den Besitzer dieser Katze.");
}

TEST(DemoPhrase, object_pronouns_have_a_case) {
  expect_pair(sees(pronoun(Pronoun::kHe), pronoun(Pronoun::kI)), "He sees me.", "Er sieht mich.");
  expect_pair(helps(pronoun(Pronoun::kYou), pronoun(Pronoun::kShe)), "You help her.", "Du hilfst ihr.");
  expect_pair(helps(pronoun(Pronoun::kThey), pronoun(Pronoun::kThey)), "They help them.", "Sie helfen ihnen.");
  expect_pair(sees(pronoun(Pronoun::kI), pronoun(Pronoun::kIt, Gender::kMasculine)), "I see it.", "Ich sehe ihn.");
}

TEST(DemoPhrase, adjectives_with_irregular_stems_and_degrees) {
  NounPhrase oldest = the("house", "old");
  oldest.superlative = true;
  expect_pair(sees(named("Anna"), oldest), "Anna sees the oldest house.", "Anna sieht das älteste Haus.");
  expect_pair(transitive(named("Anna"), "buy", a("car", "expensive")), "Anna buys an expensive car.",
              "Anna kauft ein teures Auto.");
  NounPhrase dog = a("dog", "big");
  dog.colour = &adjective("brown");
  expect_pair(sees(named("Anna"), dog), "Anna sees a big brown dog.", "Anna sieht einen großen braunen Hund.");
  NounPhrase man = a("man", "honest");
  man.very = true;
  expect_pair(sees(named("Anna"), man), "Anna sees a very honest man.", "Anna sieht einen sehr ehrlichen Mann.");
}

TEST(DemoPhrase, compounds) {
  expect_pair(transitive(named("Anna"), "open", the("front door")), "Anna opens the front door.",
              "Anna öffnet die Haustür.");
  expect_pair(transitive(named("Anna"), "buy", a("children's book", "new")), "Anna buys a new children's book.",
              "Anna kauft ein neues Kinderbuch.");
}

TEST(DemoPhrase, coordinated_subjects_are_plural) {
  NounPhrase both = named("Anna");
  both.partner = {possessed(Pronoun::kShe, "brother")};
  expect_pair(clause(both, "sleep", Frame::kIntransitive), "Anna and her brother sleep.",
              "Anna und ihr Bruder schlafen.");
}

}  // namespace
}  // namespace verbund::demo
