#include "demo/phrases.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

// What somebody may call his own.
constexpr Classes kOwnable = kRelation | kPet | kFood | kDrink | kReadable | kVehicle | kRoom | kFurniture | kThing |
                             kClothing | kDevice | kPicture | kTopic | kPlant;

bool overlaps(const NounPhrase& a, const NounPhrase& b) {
  if (a.kind == Kind::kName && b.kind == Kind::kName) return a.name == b.name;
  if (a.kind != Kind::kPronoun || b.kind != Kind::kPronoun) return false;
  const Agreement first = agreement_of(a), second = agreement_of(b);
  return first.person == second.person && (first.person != 3 || a.pronoun == b.pronoun);
}

void count_things(const NounPhrase& phrase, int& count) {
  const bool is_thing = phrase.kind == Kind::kNoun && !phrase.plural && (phrase.noun->classes & kPerson) == 0;
  if (is_thing || (phrase.kind == Kind::kPronoun && phrase.pronoun == Pronoun::kIt)) ++count;
  for (const NounPhrase& part : phrase.genitive) count_things(part, count);
  for (const NounPhrase& part : phrase.partner) count_things(part, count);
  for (const Clause& part : phrase.relative) count += things_called_it(part);
}

}  // namespace

std::optional<NounPhrase> pronoun_for(const NounPhrase& phrase) {
  if (!phrase.partner.empty()) return pronoun_phrase(Pronoun::kThey);
  const Gender gender = grammatical_gender(phrase);
  const Pronoun he_or_she = gender == Gender::kMasculine ? Pronoun::kHe : Pronoun::kShe;
  switch (phrase.kind) {
    case Kind::kPronoun:
      return phrase;
    case Kind::kName:
      return pronoun_phrase(he_or_she, gender);
    case Kind::kNoun:
      if (phrase.noun->classes & kFeature) return std::nullopt;
      if (phrase.plural) return pronoun_phrase(Pronoun::kThey, gender, phrase.noun->classes);
      if ((phrase.noun->classes & kPerson) == 0) {
        return pronoun_phrase(Pronoun::kIt, gender, phrase.noun->classes);
      }
      if (gender == Gender::kNeuter) return std::nullopt;
      return pronoun_phrase(he_or_she, gender, phrase.noun->classes);
    default:
      return std::nullopt;
  }
}

int things_called_it(const Clause& clause) {
  int count = 0;
  count_things(clause.subject, count);
  for (const auto* part : {&clause.direct, &clause.indirect, &clause.instead}) {
    for (const NounPhrase& phrase : *part) count_things(phrase, count);
  }
  for (const Adverbial& adverbial : clause.adverbials) {
    for (const NounPhrase& phrase : adverbial.phrase) count_things(phrase, count);
  }
  return count;
}

const Noun& PhraseSampler::noun_of(Classes classes, const NounPhrase* owner) {
  const bool childless = owner && (classes_of(*owner) & kChild);
  return *dice_.pick_where(nouns(), [&](const Noun& noun) {
    const bool offspring = (noun.classes & kChild) && (noun.classes & kRelation);
    return (noun.classes & classes) != 0 && !(childless && offspring);
  });
}

NounPhrase PhraseSampler::noun_phrase(const Noun& noun) {
  NounPhrase phrase;
  phrase.noun = &noun;
  return phrase;
}

NounPhrase PhraseSampler::name() {
  NounPhrase phrase;
  phrase.kind = Kind::kName;
  phrase.name = &dice_.pick(names());
  return phrase;
}

NounPhrase PhraseSampler::personal_pronoun() {
  return pronoun_phrase(
      dice_.pick({Pronoun::kI, Pronoun::kYou, Pronoun::kHe, Pronoun::kShe, Pronoun::kWe, Pronoun::kThey}));
}

void PhraseSampler::make_possessive(NounPhrase& phrase, const NounPhrase* owner) {
  phrase.determiner = Determiner::kPossessive;
  const std::optional<NounPhrase> bound = owner ? pronoun_for(*owner) : std::nullopt;
  const Classes owner_classes = owner ? classes_of(*owner) : 0;
  const bool may_own = owner_classes & kPerson || (owner_classes & kPet && phrase.noun->classes & kFood);
  if (bound && may_own && dice_.chance(80)) {
    phrase.pronoun = bound->pronoun;
    phrase.gender = bound->gender;
  } else if (dice_.chance(30)) {
    phrase.determiner = Determiner::kOfName;
    do {
      phrase.name = &dice_.pick(names());
    } while (owner && owner->name == phrase.name);
  } else if (owner) {
    phrase.pronoun = dice_.pick({Pronoun::kI, Pronoun::kYou, Pronoun::kWe});
  } else {
    phrase.pronoun = dice_.pick(
        {Pronoun::kI, Pronoun::kI, Pronoun::kYou, Pronoun::kHe, Pronoun::kShe, Pronoun::kWe, Pronoun::kThey});
  }
}

void PhraseSampler::describe(NounPhrase& phrase, int percent) {
  if (phrase.kind != Kind::kNoun || !dice_.chance(percent)) return;
  const auto suits = [&](const Adjective& adjective) { return (adjective.classes & phrase.noun->classes) != 0; };
  const Adjective* colour = dice_.pick_where(colours(), suits);
  const Adjective* adjective = dice_.pick_where(adjectives(), suits);
  if (colour && dice_.chance(25)) {
    phrase.adjective = colour;
  } else if (adjective) {
    phrase.adjective = adjective;
    const bool only_one = phrase.determiner == Determiner::kDefinite && adjective->is_gradable();
    phrase.superlative = only_one && dice_.chance(12);
    phrase.very = !phrase.superlative && adjective->is_gradable() && dice_.chance(10);
    if (colour && !phrase.superlative && !phrase.very && dice_.chance(12)) phrase.colour = colour;
  }
}

void PhraseSampler::choose_subject_determiner(NounPhrase& phrase, const NounPhrase* owner) {
  const Noun& noun = *phrase.noun;
  const bool countable = !noun.has(kMass) && !noun.has(kSingular);
  phrase.plural = countable && dice_.chance(28);
  using D = Determiner;
  if (noun.classes & kRelation || (noun.classes & kOwnable && dice_.chance(15))) {
    make_possessive(phrase, owner);
  } else if (phrase.plural) {
    phrase.determiner = dice_.weighted<D>({{50, D::kDefinite},
                                           {8, D::kThis},
                                           {10, D::kMany},
                                           {6, D::kSome},
                                           {10, D::kAll},
                                           {6, D::kBoth},
                                           {10, D::kCount}});
    phrase.count = dice_.chance(75) ? dice_.between(2, 12) : dice_.between(13, 99);
  } else if (countable) {
    phrase.determiner =
        dice_.weighted<D>({{62, D::kDefinite}, {15, D::kIndefinite}, {12, D::kThis}, {7, D::kEvery}, {4, D::kNo}});
  } else {
    phrase.determiner = dice_.weighted<D>({{80, D::kDefinite}, {20, D::kThis}});
  }
}

NounPhrase PhraseSampler::subject(Classes classes, const NounPhrase* owner) {
  if (classes & kAdult && dice_.chance(45)) {
    if (dice_.chance(45)) return personal_pronoun();
    NounPhrase phrase = name();
    if (dice_.chance(12)) {
      NounPhrase partner = dice_.chance(50) ? name() : noun_phrase(noun_of(kRelation));
      if (partner.kind == Kind::kNoun) {
        partner.determiner = Determiner::kPossessive;
        partner.pronoun = pronoun_for(phrase)->pronoun;
      }
      if (!overlaps(partner, phrase)) phrase.partner = {partner};
    }
    return phrase;
  }
  NounPhrase phrase = noun_phrase(noun_of(classes));
  choose_subject_determiner(phrase, owner);
  describe(phrase, 35);
  return phrase;
}

void PhraseSampler::choose_object_determiner(NounPhrase& phrase, const NounPhrase& owner, bool specific) {
  const Noun& noun = *phrase.noun;
  const bool countable = !noun.has(kMass) && !noun.has(kSingular);
  phrase.plural = countable && dice_.chance(28);
  using D = Determiner;
  const int bare = specific ? 0 : 30;
  if (noun.classes & (kFeature | kCircumstance)) {
    phrase.determiner = D::kDefinite;
  } else if (noun.classes & kRelation || (noun.classes & kOwnable && dice_.chance(20))) {
    make_possessive(phrase, &owner);
  } else if (phrase.plural) {
    const int counted = specific ? 0 : 14;
    phrase.determiner = dice_.weighted<D>({{40, D::kDefinite},
                                           {8, D::kThis},
                                           {bare, D::kBare},
                                           {counted, D::kCount},
                                           {counted / 2, D::kMany},
                                           {counted / 2, D::kSome}});
    phrase.count = dice_.chance(75) ? dice_.between(2, 12) : dice_.between(13, 99);
  } else if (countable) {
    phrase.determiner = dice_.weighted<D>({{45, D::kDefinite}, {bare + 10, D::kIndefinite}, {12, D::kThis}});
  } else {
    phrase.determiner = dice_.weighted<D>({{40, D::kDefinite}, {bare + 20, D::kBare}, {10, D::kThis}});
  }
}

NounPhrase PhraseSampler::somebody(const NounPhrase& owner) {
  NounPhrase phrase;
  do {
    phrase = dice_.chance(50) ? name() : personal_pronoun();
  } while (overlaps(phrase, owner));
  if (dice_.chance(55)) {
    phrase = noun_phrase(noun_of(kRelation, &owner));
    make_possessive(phrase, &owner);
    phrase.plural = !phrase.noun->has(kSingular) && dice_.chance(20);
    describe(phrase, 12);
  }
  return phrase;
}

NounPhrase PhraseSampler::object(Classes classes, const NounPhrase& owner, bool specific) {
  if (classes & kAdult && dice_.chance(35)) return somebody(owner);
  NounPhrase phrase = noun_phrase(noun_of(classes, &owner));
  choose_object_determiner(phrase, owner, specific);
  if (phrase.noun->owners != 0) {
    NounPhrase whole = noun_phrase(noun_of(phrase.noun->owners));
    whole.determiner = dice_.pick({Determiner::kDefinite, Determiner::kDefinite, Determiner::kThis});
    describe(whole, 40);
    phrase.genitive = {whole};
  } else {
    describe(phrase, 35);
  }
  return phrase;
}

}  // namespace verbund::demo
