// Word order, tense and negation of main clauses; questions and commands.
#include <gtest/gtest.h>

#include "unit/demo/building_blocks.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

void expect_pair(const Sentence& sentence, std::string_view english, std::string_view german) {
  EXPECT_EQ(english_sentence(sentence), english);
  EXPECT_EQ(german_sentence(sentence), german);
}
void expect_pair(const Clause& of, std::string_view english, std::string_view german) {
  expect_pair(statement(of), english, german);
}

Clause object_clause(NounPhrase subject, std::string_view verb_en, Frame frame, NounPhrase object, Tense tense) {
  Clause result = clause(std::move(subject), verb_en, frame, tense);
  result.direct = {std::move(object)};
  return result;
}

Adverbial at(std::string_view en, std::string_view de, NounPhrase phrase, Case grammatical_case = Case::kDative,
             Slot slot = Slot::kPlace) {
  return {slot, std::string(en), std::string(de), {std::move(phrase)}, grammatical_case};
}

const Adverbial kToday = {Slot::kTime, "today", "heute"};
const Adverbial kYesterday = {Slot::kTime, "yesterday", "gestern"};

TEST(DemoSentence, verb_second_and_inversion_after_a_fronted_time) {
  const Clause reads = transitive(the("man", "old"), "read", a("book"), Tense::kProgressive);
  expect_pair(with(reads, kToday), "The old man is reading a book today.", "Der alte Mann liest heute ein Buch.");
  expect_pair(at_first(kToday, reads), "Today the old man is reading a book.", "Heute liest der alte Mann ein Buch.");
}

TEST(DemoSentence, progressive_is_gerade_unless_a_time_is_given) {
  expect_pair(transitive(named("Anna"), "read", a("book"), Tense::kProgressive), "Anna is reading a book.",
              "Anna liest gerade ein Buch.");
}

TEST(DemoSentence, perfect_with_haben_and_sein) {
  expect_pair(with(transitive(named("Peter"), "read", the("newspaper"), Tense::kPast), kYesterday),
              "Peter read the newspaper yesterday.", "Peter hat gestern die Zeitung gelesen.");
  Clause goes = with(clause(named("Peter"), "go", Frame::kMotion, Tense::kPast),
                     at("to", "in", the("cinema"), Case::kAccusative, Slot::kGoal));
  expect_pair(goes, "Peter went to the cinema.", "Peter ist ins Kino gegangen.");
}

TEST(DemoSentence, simple_past_of_sein_haben_and_modals) {
  expect_pair(being(named("Anna"), "sick", Tense::kPast), "Anna was sick.", "Anna war krank.");
  expect_pair(transitive(pronoun(Pronoun::kWe), "have", a("dog"), Tense::kPast), "We had a dog.",
              "Wir hatten einen Hund.");
  expect_pair(with_modal(transitive(named("Anna"), "read", the("book"), Tense::kPast), "have"),
              "Anna had to read the book.", "Anna musste das Buch lesen.");
}

TEST(DemoSentence, future_and_perfect_with_already_and_yet) {
  expect_pair(transitive(pronoun(Pronoun::kYou), "buy", a("car"), Tense::kFuture), "You will buy a car.",
              "Du wirst ein Auto kaufen.");
  const Clause read = transitive(named("Anna"), "read", the("book"), Tense::kPerfect);
  expect_pair(read, "Anna has already read the book.", "Anna hat das Buch schon gelesen.");
  expect_pair(negated(read), "Anna has not read the book yet.", "Anna hat das Buch noch nicht gelesen.");
  expect_pair(negated(transitive(named("Anna"), "read", a("book"), Tense::kPerfect)), "Anna has not read a book yet.",
              "Anna hat noch kein Buch gelesen.");
}

TEST(DemoSentence, separable_verbs) {
  const Adverbial at_seven = time("every day at seven o'clock", "jeden Tag um sieben Uhr");
  expect_pair(with(clause(the("man"), "get up", Frame::kIntransitive), at_seven),
              "The man gets up every day at seven o'clock.", "Der Mann steht jeden Tag um sieben Uhr auf.");
  expect_pair(clause(the("man"), "get up", Frame::kIntransitive, Tense::kPast), "The man got up.",
              "Der Mann ist aufgestanden.");
  expect_pair(transitive(named("Anna"), "pick|up", pronoun(Pronoun::kHe), Tense::kPast), "Anna picked him up.",
              "Anna hat ihn abgeholt.");
  expect_pair(transitive(named("Anna"), "pick|up", the("boy")), "Anna picks up the boy.", "Anna holt den Jungen ab.");
}

TEST(DemoSentence, modal_verbs) {
  const Clause reads = transitive(named("Anna"), "read", the("book"));
  expect_pair(with_modal(reads, "can"), "Anna can read the book.", "Anna kann das Buch lesen.");
  expect_pair(negated(with_modal(reads, "can")), "Anna cannot read the book.", "Anna kann das Buch nicht lesen.");
  expect_pair(negated(with_modal(reads, "have")), "Anna does not have to read the book.",
              "Anna muss das Buch nicht lesen.");
  expect_pair(negated(with_modal(reads, "be")), "Anna is not allowed to read the book.",
              "Anna darf das Buch nicht lesen.");
  expect_pair(with_modal(reads, "would"), "Anna would like to read the book.", "Anna möchte das Buch lesen.");
  expect_pair(with_modal(transitive(named("Anna"), "read", plural(bare("book"))), "like"), "Anna likes to read books.",
              "Anna liest gern Bücher.");
}

TEST(DemoSentence, nicht_stands_behind_definite_objects_and_before_places) {
  expect_pair(negated(with(transitive(named("Anna"), "read", the("book"), Tense::kPast), kYesterday)),
              "Anna did not read the book yesterday.", "Anna hat das Buch gestern nicht gelesen.");
  expect_pair(negated(with(clause(plural(the("child")), "play", Frame::kIntransitive, Tense::kPast),
                           at("in", "in", the("garden")))),
              "The children did not play in the garden.", "Die Kinder haben nicht im Garten gespielt.");
  expect_pair(negated(object_clause(named("Anna"), "wait for", Frame::kPrepositional, the("bus"), Tense::kPresent)),
              "Anna does not wait for the bus.", "Anna wartet nicht auf den Bus.");
}

TEST(DemoSentence, kein_negates_indefinite_objects) {
  expect_pair(negated(transitive(named("Peter"), "have", a("dog"))), "Peter does not have a dog.",
              "Peter hat keinen Hund.");
  expect_pair(negated(transitive(named("Peter"), "drink", bare("milk"))), "Peter does not drink milk.",
              "Peter trinkt keine Milch.");
  Clause contrast = negated(transitive(named("Peter"), "buy", a("cat"), Tense::kPast));
  contrast.verb = &verb("see", Frame::kTransitive);
  contrast.instead = {a("dog")};
  expect_pair(contrast, "Peter did not see a cat but a dog.", "Peter hat keine Katze gesehen, sondern einen Hund.");
}

TEST(DemoSentence, objects_in_the_dative_come_first) {
  Clause gives = clause(named("Anna"), "give", Frame::kDitransitive);
  gives.indirect = {the("boy")};
  gives.direct = {a("book")};
  expect_pair(with(gives, kToday), "Anna gives the boy a book today.", "Anna gibt heute dem Jungen ein Buch.");
  gives.indirect = {pronoun(Pronoun::kHe)};
  expect_pair(gives, "Anna gives him a book.", "Anna gibt ihm ein Buch.");
  Clause explains = clause(the("teacher"), "explain", Frame::kDitransitive, Tense::kPast);
  explains.indirect = {plural(the("pupil"))};
  explains.direct = {the("problem")};
  expect_pair(explains, "The teacher explained the problem to the pupils.",
              "Der Lehrer hat den Schülern das Problem erklärt.");
}

TEST(DemoSentence, prepositions_rule_a_case_and_contract) {
  expect_pair(with(clause(plural(the("child")), "play", Frame::kIntransitive, Tense::kProgressive),
                   at("in", "in", the("garden"))),
              "The children are playing in the garden.", "Die Kinder spielen gerade im Garten.");
  expect_pair(
      with(clause(named("Anna"), "go", Frame::kMotion), at("to", "zu", the("station"), Case::kDative, Slot::kGoal)),
      "Anna goes to the station.", "Anna geht zum Bahnhof.");
  expect_pair(
      with(clause(named("Anna"), "go", Frame::kMotion), at("to", "zu", the("bakery"), Case::kDative, Slot::kGoal)),
      "Anna goes to the bakery.", "Anna geht zur Bäckerei.");
  Clause puts = object_clause(named("Anna"), "put", Frame::kPlacing, the("key"), Tense::kPresent);
  expect_pair(with(puts, at("on", "auf", the("table"), Case::kAccusative, Slot::kGoal)),
              "Anna puts the key on the table.", "Anna legt den Schlüssel auf den Tisch.");
  expect_pair(with(clause(the("key"), "lie", Frame::kPosition), at("on", "auf", the("table"))),
              "The key lies on the table.", "Der Schlüssel liegt auf dem Tisch.");
  expect_pair(object_clause(named("Anna"), "talk to", Frame::kPrepositional, plural(the("neighbour", "friendly")),
                            Tense::kPast),
              "Anna talked to the friendly neighbours.", "Anna hat mit den freundlichen Nachbarn gesprochen.");
  Clause because_of = clause(plural(the("child")), "stay", Frame::kPosition, Tense::kPast);
  because_of.adverbials = {{Slot::kPlace, "at home", "zu Hause"},
                           at("because of", "wegen", the("weather", "bad"), Case::kGenitive, Slot::kTime)};
  because_of.front = Front::kTime;
  expect_pair(because_of, "Because of the bad weather the children stayed at home.",
              "Wegen des schlechten Wetters sind die Kinder zu Hause geblieben.");
}

TEST(DemoSentence, place_and_time_trade_places) {
  Clause plays =
      with(with(clause(named("Peter"), "swim", Frame::kIntransitive, Tense::kPast), at("at", "an", the("lake"))),
           kYesterday);
  plays.adverbials.push_back(at("with", "mit", possessed(Pronoun::kHe, "sister"), Case::kDative, Slot::kCompanion));
  expect_pair(plays, "Peter swam at the lake with his sister yesterday.",
              "Peter ist gestern mit seiner Schwester am See geschwommen.");
}

TEST(DemoSentence, reflexive_verbs) {
  Clause remembers =
      object_clause(pronoun(Pronoun::kI), "remember", Frame::kPrepositional, the("wedding"), Tense::kPresent);
  expect_pair(remembers, "I remember the wedding.", "Ich erinnere mich an die Hochzeit.");
  remembers.subject = the("woman");
  expect_pair(question(remembers), "Does the woman remember the wedding?", "Erinnert sich die Frau an die Hochzeit?");
  expect_pair(transitive(pronoun(Pronoun::kI), "watch", the("film"), Tense::kPast), "I watched the film.",
              "Ich habe mir den Film angesehen.");
}

TEST(DemoSentence, comparison_and_predicates) {
  Clause taller = being(named("Anna"), "tall");
  taller.predicate.degree = Degree::kComparative;
  taller.predicate.standard = {possessed(Pronoun::kShe, "brother")};
  expect_pair(taller, "Anna is taller than her brother.", "Anna ist größer als ihr Bruder.");
  taller.predicate.degree = Degree::kEqual;
  expect_pair(negated(taller), "Anna is not as tall as her brother.", "Anna ist nicht so groß wie ihr Bruder.");
  Clause doctor = clause(named("Peter"), "be", Frame::kCopula);
  doctor.predicate.noun = {a("doctor", "good")};
  expect_pair(negated(doctor), "Peter is not a good doctor.", "Peter ist kein guter Arzt.");
  Clause proud = being(named("Peter"), "proud");
  proud.predicate.complement = {possessed(Pronoun::kHe, "son")};
  expect_pair(proud, "Peter is proud of his son.", "Peter ist stolz auf seinen Sohn.");
  Clause age = clause(named("Anna"), "be", Frame::kCopula);
  age.predicate.years = 35;
  expect_pair(age, "Anna is 35 years old.", "Anna ist 35 Jahre alt.");
}

TEST(DemoSentence, yes_no_questions_take_do) {
  expect_pair(question(transitive(pronoun(Pronoun::kYou), "know", the("man"))), "Do you know the man?",
              "Kennst du den Mann?");
  expect_pair(question(transitive(named("Anna"), "read", the("book"), Tense::kPast)), "Did Anna read the book?",
              "Hat Anna das Buch gelesen?");
  expect_pair(question(being(named("Anna"), "tired")), "Is Anna tired?", "Ist Anna müde?");
}

TEST(DemoSentence, question_words_show_their_case) {
  expect_pair(question(transitive(asking(Kind::kWho), "read", the("book"), Tense::kPast)), "Who read the book?",
              "Wer hat das Buch gelesen?");
  Clause whom = transitive(named("Anna"), "visit", asking(Kind::kWho), Tense::kPast);
  whom.front = Front::kDirect;
  expect_pair(question(whom), "Who did Anna visit?", "Wen hat Anna besucht?");
  Clause helped = object_clause(named("Anna"), "help", Frame::kDative, asking(Kind::kWho), Tense::kPast);
  helped.front = Front::kDirect;
  expect_pair(question(helped), "Who did Anna help?", "Wem hat Anna geholfen?");
  Clause waits =
      object_clause(named("Anna"), "wait for", Frame::kPrepositional, asking(Kind::kWho), Tense::kProgressive);
  waits.front = Front::kDirect;
  expect_pair(question(waits), "Who is Anna waiting for?", "Auf wen wartet Anna gerade?");
  Clause which = transitive(named("Anna"), "buy", phrase(Determiner::kWhich, "car"), Tense::kFuture);
  which.front = Front::kDirect;
  expect_pair(question(which), "Which car will Anna buy?", "Welches Auto wird Anna kaufen?");
  Clause many = transitive(named("Anna"), "eat", plural(phrase(Determiner::kHowMany, "apple")), Tense::kPast);
  many.front = Front::kDirect;
  expect_pair(question(many), "How many apples did Anna eat?", "Wie viele Äpfel hat Anna gegessen?");
  static constexpr WordPair kWhere = {"where", "wo"};
  Clause where = clause(pronoun(Pronoun::kYou), "live", Frame::kPosition);
  where.question_word = &kWhere;
  where.front = Front::kQuestionWord;
  expect_pair(question(where), "Where do you live?", "Wo wohnst du?");
}

TEST(DemoSentence, commands_and_proposals) {
  const NounPhrase you = pronoun(Pronoun::kYou);
  Sentence open = statement(transitive(you, "open", the("door")));
  open.kind = Sentence::Kind::kCommand;
  expect_pair(open, "Open the door!", "Öffne die Tür!");
  open.kind = Sentence::Kind::kPleaseCommand;
  expect_pair(open, "Please open the door!", "Bitte öffne die Tür!");
  open.clause.negated = true;
  expect_pair(open, "Please do not open the door!", "Bitte öffne die Tür nicht!");
  const Sentence hurry = {.kind = Sentence::Kind::kCommand, .clause = clause(you, "hurry", Frame::kIntransitive)};
  expect_pair(hurry, "Hurry!", "Beeil dich!");
  const Sentence call = {.kind = Sentence::Kind::kCommand,
                         .clause = transitive(you, "call", possessed(Pronoun::kYou, "mother"))};
  expect_pair(call, "Call your mother!", "Ruf deine Mutter an!");
  Sentence proposal = statement(transitive(pronoun(Pronoun::kWe), "invite", named("Anna")));
  proposal.kind = Sentence::Kind::kProposal;
  expect_pair(proposal, "Let us invite Anna!", "Lass uns Anna einladen!");
}

TEST(DemoSentence, passive_existence_and_weather) {
  Clause built =
      at_first(time("in 1987", "im Jahr 1987"), clause(the("house"), "build", Frame::kTransitive, Tense::kPast));
  built.passive = true;
  expect_pair(built, "In 1987 the house was built.", "Im Jahr 1987 wurde das Haus gebaut.");
  Clause repaired = with_modal(clause(the("car"), "repair", Frame::kTransitive), "have");
  repaired.passive = true;
  expect_pair(repaired, "The car has to be repaired.", "Das Auto muss repariert werden.");
  Clause exists = clause(pronoun(Pronoun::kIt), "be", Frame::kExistence);
  exists.direct = {plural(phrase(Determiner::kMany, "museum"))};
  exists.adverbials = {at("in", "in", phrase(Determiner::kThis, "city"))};
  expect_pair(question(exists), "Are there many museums in this city?", "Gibt es in dieser Stadt viele Museen?");
  exists.front = Front::kPlace;
  expect_pair(exists, "In this city there are many museums.", "In dieser Stadt gibt es viele Museen.");
  expect_pair(clause(pronoun(Pronoun::kIt), "rain", Frame::kWeather, Tense::kProgressive), "It is raining.",
              "Es regnet.");
}

}  // namespace
}  // namespace verbund::demo
