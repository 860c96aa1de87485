// Random relative clauses (declared in demo_clauses.h).
#include "demo/clauses.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

// Who or what a relative clause can single out.
bool takes_relative(const NounPhrase& phrase) {
  if (phrase.kind != Kind::kNoun || !phrase.genitive.empty()) return false;
  if (phrase.noun->classes & (kRelation | kFeature | kCircumstance)) return false;
  switch (phrase.determiner) {
    case Determiner::kDefinite:
    case Determiner::kIndefinite:
    case Determiner::kEvery:
    case Determiner::kAll:
    case Determiner::kCount:
    case Determiner::kMany:
      return true;
    default:
      return false;
  }
}

}  // namespace

// "the house in which she sleeps"
Clause ClauseSampler::place_relative(const NounPhrase& antecedent, ClauseWish wish) {
  wish.negation = false;
  const Verb& verb = *dice_.pick_where(verbs(), [](const Verb& entry) {
    return entry.is(kPlaceable) && entry.frame == Frame::kIntransitive && (entry.subjects & kPerson);
  });
  Clause clause = event(verb, wish);
  std::erase_if(clause.adverbials, [](const Adverbial& entry) { return entry.slot == Slot::kPlace; });
  const PlacePattern& pattern = place_pattern(antecedent.noun->place);
  clause.adverbials.push_back({Slot::kPlace, pattern.en_at, pattern.de_at, {relative_to(antecedent)}});
  clause.front = Front::kPlace;
  return clause;
}

// "the man whom she helps", "the bus that she is waiting for"
Clause ClauseSampler::object_relative(const NounPhrase& antecedent, const Verb& verb, ClauseWish wish) {
  wish.negation = false;
  Clause clause = event(verb, wish);
  clause.direct = {relative_to(antecedent)};
  clause.front = Front::kDirect;
  return clause;
}

// "the man whose dog is tired"
Clause ClauseSampler::owner_relative(const NounPhrase& antecedent, ClauseWish wish) {
  NounPhrase owned;
  owned.noun =
      dice_.pick_where(nouns(), [](const Noun& entry) { return (entry.classes & (kRelation | kPet | kVehicle)) != 0; });
  owned.determiner = Determiner::kWhose;
  owned.gender = grammatical_gender(antecedent);
  owned.plural_owner = antecedent.plural;
  wish.subject = &owned;
  wish.negation = false;
  return can_act(owned) && dice_.chance(50) ? event(wish) : state(wish);
}

// "the man who helps her"; "his" in the clause refers to the antecedent.
Clause ClauseSampler::subject_relative(const NounPhrase& antecedent, ClauseWish wish) {
  wish.subject = &antecedent;
  const bool may_act = dice_.pick_where(verbs(), [&](const Verb& entry) {
    return entry.frame <= Frame::kPlacing && (entry.subjects & antecedent.noun->classes);
  }) != nullptr;
  Clause clause = may_act && dice_.chance(80) ? event(wish) : state(wish);
  clause.subject = relative_to(antecedent);
  return clause;
}

Clause ClauseSampler::relative_clause(const NounPhrase& antecedent) {
  const Noun& noun = *antecedent.noun;
  const Period period =
      dice_.weighted<Period>({{45, Period::kPast}, {20, Period::kHabit}, {25, Period::kNow}, {10, Period::kFuture}});
  const ClauseWish wish = {.period = period, .perfect = false};
  const Verb* verb = dice_.pick_where(verbs(), [&](const Verb& entry) {
    return entry.frame <= Frame::kPrepositional && (entry.objects & noun.classes) && !entry.is(kToRecipient);
  });
  if (noun.place != PlaceKind::kNone && dice_.chance(45)) return place_relative(antecedent, wish);
  if (verb && dice_.chance(noun.classes & kAnimate ? 40 : 85)) {
    return object_relative(antecedent, *verb, wish);
  }
  if (noun.classes & kPerson && dice_.chance(20)) return owner_relative(antecedent, wish);
  return subject_relative(antecedent, wish);
}

void ClauseSampler::perhaps_add_relatives(Clause& clause) {
  if (clause.front != Front::kPlace && takes_relative(clause.subject) && dice_.chance(16)) {
    clause.subject.relative = {relative_clause(clause.subject)};
    return;
  }
  // Nothing of this clause may stand behind the object: it would seem to belong to the relative clause.
  bool ends_with_object =
      !clause.direct.empty() && clause.indirect.empty() && clause.instead.empty() && clause.tense != Tense::kPerfect;
  for (const Adverbial& adverbial : clause.adverbials) {
    const bool before =
        adverbial.slot == Slot::kFrequency || (adverbial.slot == Slot::kTime && clause.front == Front::kTime);
    if (!before) ends_with_object = false;
  }
  if (ends_with_object && clause.front != Front::kDirect && takes_relative(clause.direct[0]) && dice_.chance(30)) {
    clause.direct[0].relative = {relative_clause(clause.direct[0])};
  }
}

}  // namespace verbund::demo
