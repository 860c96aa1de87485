#include "demo/syntax.h"

namespace verbund::demo {

const Conjunction kAnd = {"and", "und"}, kBut = {"but", "aber"}, kFor = {"for", "denn"}, kSo = {"so", "deshalb"};

Agreement agreement_of(const NounPhrase& phrase) {
  if (!phrase.partner.empty()) return {3, true};
  if (phrase.kind != NounPhrase::Kind::kPronoun) return {3, phrase.plural};
  switch (phrase.pronoun) {
    case Pronoun::kI:
      return {1, false};
    case Pronoun::kYou:
      return {2, false};
    case Pronoun::kWe:
      return {1, true};
    case Pronoun::kThey:
      return {3, true};
    case Pronoun::kHe:
    case Pronoun::kShe:
    case Pronoun::kIt:
      return {3, false};
  }
  return {};
}

Gender grammatical_gender(const NounPhrase& phrase) {
  if (phrase.noun) return phrase.noun->gender;
  if (phrase.kind == NounPhrase::Kind::kName) return phrase.name->gender;
  return phrase.gender;
}

bool is_definite(const NounPhrase& phrase) {
  if (phrase.kind != NounPhrase::Kind::kNoun) return true;
  switch (phrase.determiner) {
    case Determiner::kBare:
    case Determiner::kIndefinite:
    case Determiner::kNo:
    case Determiner::kMany:
    case Determiner::kSome:
    case Determiner::kCount:
    case Determiner::kHowMany:
      return false;
    default:
      return true;
  }
}

bool is_specific(const NounPhrase& phrase) {
  if (phrase.kind != NounPhrase::Kind::kNoun) return true;
  switch (phrase.determiner) {
    case Determiner::kDefinite:
    case Determiner::kThis:
    case Determiner::kPossessive:
    case Determiner::kOfName:
      return true;
    default:
      return false;
  }
}

bool is_question_phrase(const NounPhrase& phrase) {
  return phrase.kind == NounPhrase::Kind::kWho || phrase.kind == NounPhrase::Kind::kWhat ||
         phrase.determiner == Determiner::kWhich || phrase.determiner == Determiner::kHowMany;
}

Case object_case(const Verb& verb) { return verb.frame == Frame::kDative ? Case::kDative : verb.object_case; }

const Adverbial* find(const Clause& clause, Slot slot) {
  for (const Adverbial& adverbial : clause.adverbials) {
    if (adverbial.slot == slot) return &adverbial;
  }
  return nullptr;
}

NounPhrase relative_to(const NounPhrase& antecedent) {
  NounPhrase phrase;
  phrase.kind = NounPhrase::Kind::kRelative;
  phrase.plural = antecedent.plural;
  phrase.gender = grammatical_gender(antecedent);
  phrase.referent = antecedent.noun->classes;
  return phrase;
}

NounPhrase pronoun_phrase(Pronoun pronoun, Gender gender, Classes referent) {
  NounPhrase phrase;
  phrase.kind = NounPhrase::Kind::kPronoun;
  phrase.pronoun = pronoun;
  phrase.gender = gender;
  phrase.referent = referent;
  return phrase;
}

Classes classes_of(const NounPhrase& phrase) {
  return phrase.kind == NounPhrase::Kind::kNoun && phrase.partner.empty() ? phrase.noun->classes : phrase.referent;
}

}  // namespace verbund::demo
