#include "demo/grammar.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

}  // namespace

Period SentenceSampler::period() {
  return dice_.weighted<Period>({{40, Period::kPast}, {20, Period::kHabit}, {22, Period::kNow}, {18, Period::kFuture}});
}

Sentence SentenceSampler::sentence() {
  using Self = SentenceSampler;
  using Make = Attempt (Self::*)();
  while (true) {
    const Make make =
        dice_.weighted<Make>({{22, &Self::statement},      {9, &Self::description}, {5, &Self::command},
                              {2, &Self::proposal},        {5, &Self::passive},     {2, &Self::existence},
                              {1, &Self::price},           {1, &Self::weather},     {2, &Self::contrast},
                              {7, &Self::yes_no_question}, {11, &Self::question},   {11, &Self::report},
                              {2, &Self::judgement},       {7, &Self::reason},      {1, &Self::aim},
                              {6, &Self::condition},       {7, &Self::past_time},   {7, &Self::coordination},
                              {4, &Self::shared_subject},  {6, &Self::plan},        {3, &Self::purpose}});
    if (const Attempt attempt = (this->*make)()) return *attempt;
  }
}

SentenceSampler::Attempt SentenceSampler::statement() {
  Sentence sentence;
  sentence.clause = clauses_.event({.period = period()});
  clauses_.perhaps_front_time(sentence.clause, 45);
  clauses_.perhaps_add_relatives(sentence.clause);
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::description() {
  Sentence sentence;
  sentence.clause = clauses_.state({.period = period()});
  clauses_.perhaps_front_time(sentence.clause, 40);
  clauses_.perhaps_add_relatives(sentence.clause);
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::command() {
  Sentence sentence;
  sentence.kind = dice_.chance(45) ? Sentence::Kind::kPleaseCommand : Sentence::Kind::kCommand;
  const NounPhrase you = pronoun_phrase(Pronoun::kYou);
  sentence.clause = clauses_.event({.period = Period::kFuture, .subject = &you, .times = false, .modals = false});
  sentence.clause.tense = Tense::kPresent;
  if (*sentence.clause.verb->de_imperative == '\0') return std::nullopt;
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::proposal() {
  Sentence sentence;
  sentence.kind = Sentence::Kind::kProposal;
  sentence.clause = clauses_.intention(pronoun_phrase(Pronoun::kWe));
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::passive() {
  Sentence sentence;
  sentence.clause = clauses_.passive(period());
  if (dice_.chance(15)) {
    sentence.kind = Sentence::Kind::kQuestion;
    sentence.clause.negated = false;
  } else {
    clauses_.perhaps_front_time(sentence.clause, 35);
  }
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::existence() {
  Sentence sentence;
  Clause& clause = sentence.clause;
  clause.verb = &verb("be", Frame::kExistence);
  clause.subject = pronoun_phrase(Pronoun::kIt);
  clause.tense = dice_.chance(60) ? Tense::kPresent : Tense::kPast;
  const bool town = dice_.chance(65);
  NounPhrase place, thing;
  place.noun = &noun(town ? dice_.pick({"city", "village"}) : dice_.pick({"garden", "park", "forest"}));
  place.determiner = dice_.pick({Determiner::kDefinite, Determiner::kThis});
  clauses_.phrases().describe(place, 25);
  thing.noun =
      dice_.pick_where(nouns(), [&](const Noun& entry) { return (entry.classes & (town ? kBuilding : kPlant)) != 0; });
  thing.plural = dice_.chance(55);
  using D = Determiner;
  thing.determiner = !thing.plural ? D::kIndefinite : dice_.pick({D::kMany, D::kSome, D::kCount, D::kBare});
  thing.count = dice_.between(2, 30);
  clauses_.phrases().describe(thing, 45);
  clause.direct = {thing};
  clause.adverbials.push_back({Slot::kPlace, "in", "in", {place}, Case::kDative});
  if (dice_.chance(30)) {
    sentence.kind = Sentence::Kind::kQuestion;
  } else {
    clause.front = Front::kPlace;
  }
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::price() {
  Sentence sentence;
  Clause& clause = sentence.clause;
  clause.verb = &verb("cost", Frame::kPrice);
  clause.subject = clauses_.phrases().object(clause.verb->subjects, pronoun_phrase(Pronoun::kI), true);
  if (!is_definite(clause.subject)) clause.subject.determiner = Determiner::kThis;
  NounPhrase sum;
  sum.noun = &noun("euro");
  sum.plural = true;
  sum.determiner = Determiner::kCount;
  sum.count = dice_.between(2, 99);
  clause.direct = {sum};
  if (dice_.chance(25)) sentence.kind = Sentence::Kind::kQuestion;
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::weather() {
  Sentence sentence;
  const Period when = dice_.pick({Period::kPast, Period::kNow, Period::kFuture});
  sentence.clause = clauses_.weather(when);
  sentence.clause.adverbials = {time_adverbial(dice_, when)};
  const bool because_of_the_rain = !sentence.clause.adverbials[0].phrase.empty();
  if (because_of_the_rain) return std::nullopt;
  if (dice_.chance(50)) sentence.clause.adverbials.push_back(clauses_.phrases().region());
  if (dice_.chance(20)) {
    sentence.kind = Sentence::Kind::kQuestion;
  } else {
    clauses_.perhaps_front_time(sentence.clause, 60);
  }
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::contrast() {
  Sentence sentence;
  Clause& clause = sentence.clause;
  constexpr Classes kChoices = kFood | kDrink | kVehicle | kClothing | kText | kPet;
  clause = clauses_.event({.period = period(), .frequencies = false, .perfect = false});
  const Verb& verb = *clause.verb;
  const bool likes = clause.modal && clause.modal->is_gern();
  const bool has_preposition = !english_tail(verb).empty() && !has_movable_tail(verb);  // "look for"
  if (verb.frame != Frame::kTransitive || has_preposition || likes || !is_specific(clause.subject)) {
    return std::nullopt;
  }
  NounPhrase& direct = clause.direct[0];
  if (direct.kind != Kind::kNoun || !(direct.noun->classes & verb.objects & kChoices)) return std::nullopt;
  NounPhrase other;
  other.noun = dice_.pick_where(nouns(), [&](const Noun& entry) {
    return (entry.classes & direct.noun->classes & verb.objects & kChoices) != 0 && &entry != direct.noun;
  });
  const bool plural = direct.plural && !other.noun->has(kMass);
  for (NounPhrase* phrase : {&direct, &other}) {
    phrase->plural = plural;
    phrase->determiner = plural || phrase->noun->has(kMass) ? Determiner::kBare : Determiner::kIndefinite;
    phrase->superlative = false;
  }
  clause.negated = true;
  clause.instead = {other};
  std::erase_if(clause.adverbials, [](const Adverbial& entry) { return entry.slot != Slot::kTime; });
  clauses_.perhaps_front_time(clause, 100);
  return sentence;
}

}  // namespace verbund::demo
