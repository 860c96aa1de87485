// Subordinate, relative and infinitive clauses, and coordination.
#include <gtest/gtest.h>

#include "unit/demo/building_blocks.h"

namespace verbund::demo {
namespace {

const Conjunction kBecause = {"because", "weil"}, kThat = {"that", "dass"}, kWhether = {"whether", "ob"},
                  kIf = {"if", "wenn"}, kAlthough = {"although", "obwohl", true}, kWhen = {"when", "als"},
                  kAfter = {"after", "nachdem"};

void expect_pair(const Sentence& sentence, std::string_view english, std::string_view german) {
  EXPECT_EQ(english_sentence(sentence), english);
  EXPECT_EQ(german_sentence(sentence), german);
}
void expect_pair(const Clause& of, std::string_view english, std::string_view german) {
  expect_pair(statement(of), english, german);
}

Clause joined(Clause main, const Conjunction& conjunction, Clause sub, bool first = false) {
  main.adjunct = {{&conjunction, std::move(sub)}};
  if (first) main.front = Front::kSubclause;
  return main;
}

Clause reporting(Clause main, const Conjunction* conjunction, Clause content) {
  main.content = {{conjunction, std::move(content)}};
  return main;
}

Clause object_relative(const NounPhrase& antecedent, Clause of) {
  of.direct = {relative_to(antecedent)};
  of.front = Front::kDirect;
  return of;
}

TEST(DemoSubclause, the_verb_goes_last) {
  const Clause stays =
      with(clause(named("Peter"), "stay", Frame::kPosition, Tense::kPast), {Slot::kPlace, "at home", "zu Hause"});
  const Clause sick = being(pronoun(Pronoun::kHe), "sick", Tense::kPast);
  expect_pair(joined(stays, kBecause, sick), "Peter stayed at home because he was sick.",
              "Peter ist zu Hause geblieben, weil er krank war.");
  expect_pair(joined(stays, kBecause, sick, true), "Because he was sick, Peter stayed at home.",
              "Weil er krank war, ist Peter zu Hause geblieben.");
}

TEST(DemoSubclause, verb_clusters_keep_their_order) {
  const Clause sleeps = clause(named("Anna"), "sleep", Frame::kIntransitive, Tense::kFuture);
  expect_pair(joined(sleeps, kIf, with_modal(clause(pronoun(Pronoun::kShe), "get up", Frame::kIntransitive), "have")),
              "Anna will sleep if she has to get up.", "Anna wird schlafen, wenn sie aufstehen muss.");
  expect_pair(joined(sleeps, kIf, clause(named("Peter"), "get up", Frame::kIntransitive)),
              "Anna will sleep if Peter gets up.", "Anna wird schlafen, wenn Peter aufsteht.");
  expect_pair(joined(being(named("Anna"), "tired"), kAlthough,
                     clause(pronoun(Pronoun::kShe), "sleep", Frame::kIntransitive, Tense::kPast)),
              "Anna is tired, although she slept.", "Anna ist müde, obwohl sie geschlafen hat.");
}

TEST(DemoSubclause, when_clauses_of_the_past_are_in_the_preterite) {
  const Clause laughs = clause(named("Anna"), "laugh", Frame::kIntransitive, Tense::kPast);
  expect_pair(joined(laughs, kWhen, transitive(named("Peter"), "call", pronoun(Pronoun::kShe), Tense::kNarrative)),
              "Anna laughed when Peter called her.", "Anna hat gelacht, als Peter sie anrief.");
  expect_pair(joined(laughs, kAfter, clause(named("Peter"), "arrive", Frame::kIntransitive, Tense::kPluperfect), true),
              "After Peter had arrived, Anna laughed.", "Nachdem Peter angekommen war, hat Anna gelacht.");
}

TEST(DemoSubclause, it_takes_the_gender_of_what_it_stands_for) {
  const Clause buys = transitive(named("Anna"), "buy", the("table"), Tense::kPast);
  expect_pair(joined(buys, kBecause, being(pronoun(Pronoun::kIt, Gender::kMasculine), "cheap", Tense::kPast)),
              "Anna bought the table because it was cheap.", "Anna hat den Tisch gekauft, weil er billig war.");
  const Clause lamp = transitive(named("Anna"), "buy", the("lamp"), Tense::kPast);
  expect_pair(
      joined(lamp, kBecause,
             transitive(pronoun(Pronoun::kShe), "need", pronoun(Pronoun::kIt, Gender::kFeminine), Tense::kPast)),
      "Anna bought the lamp because she needed it.", "Anna hat die Lampe gekauft, weil sie sie brauchte.");
}

TEST(DemoSubclause, reports) {
  const Clause says = clause(named("Anna"), "say", Frame::kReport);
  expect_pair(reporting(says, &kThat, transitive(pronoun(Pronoun::kShe), "know", the("man"))),
              "Anna says that she knows the man.", "Anna sagt, dass sie den Mann kennt.");
  Clause knows = negated(clause(pronoun(Pronoun::kI), "know", Frame::kReport));
  expect_pair(reporting(knows, &kWhether, being(named("Peter"), "tired")), "I do not know whether Peter is tired.",
              "Ich weiß nicht, ob Peter müde ist.");
  static constexpr WordPair kWhere = {"where", "wo"};
  Clause lives = clause(named("Peter"), "live", Frame::kPosition);
  lives.question_word = &kWhere;
  lives.front = Front::kQuestionWord;
  knows.negated = false;
  knows.subject = pronoun(Pronoun::kYou);
  expect_pair(question(reporting(knows, nullptr, lives)), "Do you know where Peter lives?",
              "Weißt du, wo Peter wohnt?");
}

TEST(DemoSubclause, relative_clauses_agree_in_gender_and_number) {
  NounPhrase man = the("man");
  man.relative = {with(clause(relative_to(man), "live", Frame::kPosition), {Slot::kPlace, "in Berlin", "in Berlin"})};
  expect_pair(transitive(man, "buy", a("book"), Tense::kPast), "The man who lives in Berlin bought a book.",
              "Der Mann, der in Berlin wohnt, hat ein Buch gekauft.");
  NounPhrase book = the("book");
  book.relative = {object_relative(book, clause(named("Anna"), "buy", Frame::kTransitive, Tense::kPast))};
  expect_pair(transitive(named("Peter"), "read", book, Tense::kPast), "Peter read the book that Anna bought.",
              "Peter hat das Buch gelesen, das Anna gekauft hat.");
  NounPhrase boy = plural(the("boy"));
  boy.relative = {object_relative(boy, clause(the("teacher"), "help", Frame::kDative))};
  expect_pair(clause(boy, "laugh", Frame::kIntransitive), "The boys whom the teacher helps laugh.",
              "Die Jungen, denen der Lehrer hilft, lachen.");
  NounPhrase bus = the("tram");
  bus.relative = {
      object_relative(bus, clause(pronoun(Pronoun::kWe), "wait for", Frame::kPrepositional, Tense::kProgressive))};
  expect_pair(transitive(named("Anna"), "see", bus), "Anna sees the tram that we are waiting for.",
              "Anna sieht die Straßenbahn, auf die wir gerade warten.");
}

TEST(DemoSubclause, relative_clauses_of_place_and_owner) {
  NounPhrase house = the("house");
  Clause sleeps = clause(named("Anna"), "sleep", Frame::kIntransitive, Tense::kProgressive);
  sleeps.adverbials = {{Slot::kPlace, "in", "in", {relative_to(house)}}};
  sleeps.front = Front::kPlace;
  house.relative = {sleeps};
  expect_pair(being(house, "old"), "The house in which Anna is sleeping is old.",
              "Das Haus, in dem Anna gerade schläft, ist alt.");
  NounPhrase woman = the("woman");
  NounPhrase dog = phrase(Determiner::kWhose, "dog", "young");
  dog.gender = Gender::kFeminine;
  woman.relative = {being(dog, "sick")};
  expect_pair(clause(woman, "cry", Frame::kIntransitive), "The woman whose young dog is sick cries.",
              "Die Frau, deren junger Hund krank ist, weint.");
}

TEST(DemoSubclause, a_noun_with_a_relative_clause_keeps_its_article) {
  NounPhrase friends = the("friend");
  friends.relative = {clause(relative_to(friends), "sing", Frame::kIntransitive)};
  Clause dreams = clause(named("Anna"), "apologise to", Frame::kPrepositional);
  dreams.direct = {friends};
  expect_pair(dreams, "Anna apologises to the friend who sings.", "Anna entschuldigt sich bei dem Freund, der singt.");
  dreams.direct[0].relative.clear();
  expect_pair(dreams, "Anna apologises to the friend.", "Anna entschuldigt sich beim Freund.");
}

TEST(DemoSubclause, infinitives) {
  const auto plans = [](std::string_view verb_en, Tense tense, Clause aim,
                        InfinitiveClause::Kind kind = InfinitiveClause::Kind::kPlain) {
    Clause result = clause(named("Anna"), verb_en, Frame::kIntention, tense);
    result.infinitive = {{kind, std::move(aim)}};
    return result;
  };
  const Clause opens = transitive(named("Anna"), "open", the("door"));
  const Clause calls = transitive(named("Anna"), "call", possessed(Pronoun::kShe, "mother"));
  expect_pair(plans("try", Tense::kProgressive, opens), "Anna is trying to open the door.",
              "Anna versucht gerade, die Tür zu öffnen.");
  expect_pair(plans("forget", Tense::kPast, calls), "Anna forgot to call her mother.",
              "Anna hat vergessen, ihre Mutter anzurufen.");
  expect_pair(plans("begin", Tense::kPresent, opens), "Anna begins to open the door.",
              "Anna fängt an, die Tür zu öffnen.");
  expect_pair(plans("stop", Tense::kPast, opens), "Anna stopped opening the door.",
              "Anna hat aufgehört, die Tür zu öffnen.");
  Clause goes = with(clause(named("Anna"), "go", Frame::kMotion, Tense::kPast), {Slot::kGoal, "home", "nach Hause"});
  goes.infinitive = {{InfinitiveClause::Kind::kPurpose, calls}};
  expect_pair(goes, "Anna went home in order to call her mother.",
              "Anna ist nach Hause gegangen, um ihre Mutter anzurufen.");
  goes.infinitive = {{InfinitiveClause::Kind::kWithout, opens}};
  expect_pair(goes, "Anna went home without opening the door.",
              "Anna ist nach Hause gegangen, ohne die Tür zu öffnen.");
  Clause asks = clause(pronoun(Pronoun::kI), "ask", Frame::kIntention, Tense::kPast);
  asks.direct = {named("Peter")};
  asks.infinitive = {{InfinitiveClause::Kind::kPlain, clause(named("Peter"), "hurry", Frame::kIntransitive)}};
  expect_pair(asks, "I asked Peter to hurry.", "Ich habe Peter gebeten, sich zu beeilen.");
}

TEST(DemoSubclause, coordination) {
  Sentence both = statement(transitive(named("Anna"), "read", a("book"), Tense::kPast));
  both.second = {clause(named("Peter"), "sleep", Frame::kIntransitive, Tense::kPast)};
  both.connector = &kAnd;
  expect_pair(both, "Anna read a book, and Peter slept.", "Anna hat ein Buch gelesen und Peter hat geschlafen.");
  both.connector = &kBut;
  expect_pair(both, "Anna read a book, but Peter slept.", "Anna hat ein Buch gelesen, aber Peter hat geschlafen.");
  both.connector = &kFor;
  expect_pair(both, "Anna read a book, for Peter slept.", "Anna hat ein Buch gelesen, denn Peter hat geschlafen.");
  both.connector = &kSo;
  expect_pair(both, "Anna read a book, so Peter slept.", "Anna hat ein Buch gelesen, deshalb hat Peter geschlafen.");
}

TEST(DemoSubclause, a_shared_subject_shares_its_auxiliary_if_it_can) {
  Sentence both = statement(transitive(named("Anna"), "open", the("door"), Tense::kPast));
  Clause second = clause(named("Anna"), "laugh", Frame::kIntransitive, Tense::kPast);
  second.silent_subject = true;
  both.connector = &kAnd;
  both.second = {second};
  expect_pair(both, "Anna opened the door and laughed.", "Anna hat die Tür geöffnet und gelacht.");
  both.second[0].verb = &verb("go away", Frame::kIntransitive);
  expect_pair(both, "Anna opened the door and went away.", "Anna hat die Tür geöffnet und ist weggegangen.");
}

}  // namespace
}  // namespace verbund::demo
