// The middle field of a German clause: everything between the finite verb and the other verb
// forms, in its fixed order.
#include "demo/german.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

bool is_gern(const Clause& clause) { return clause.modal && clause.modal->is_gern(); }

bool is_plain_object(const Verb& verb) { return verb.de_preposition == nullptr; }

// "not a book" is "kein Buch"; everything else is negated by "nicht".
bool takes_kein(const NounPhrase& phrase) {
  return phrase.kind == Kind::kNoun &&
         (phrase.determiner == Determiner::kIndefinite || phrase.determiner == Determiner::kBare);
}

bool negates_object(const Clause& clause) {
  return clause.negated && !is_gern(clause) && is_plain_object(*clause.verb) && !clause.direct.empty() &&
         takes_kein(clause.direct[0]);
}

bool negates_predicate(const Clause& clause) {
  return clause.negated && !clause.predicate.noun.empty() && takes_kein(clause.predicate.noun[0]);
}

NounPhrase with_kein(NounPhrase phrase, bool negated) {
  if (negated) phrase.determiner = Determiner::kNo;
  return phrase;
}

void predicate(Line& out, const Clause& clause) {
  const Predicate& predicate = clause.predicate;
  if (predicate.years > 0) {
    out.add(german_number(predicate.years));
    out.add("Jahre alt");
  }
  for (const NounPhrase& noun : predicate.noun) {
    german_noun_phrase(out, with_kein(noun, negates_predicate(clause)), Case::kNominative);
  }
  if (!predicate.adjective) return;
  if (predicate.very) out.add("sehr");
  if (predicate.degree == Degree::kEqual) out.add("so");
  out.add(predicate.degree == Degree::kComparative ? predicate.adjective->de_comparative : predicate.adjective->de);
  for (const NounPhrase& complement : predicate.complement) {
    german_prepositional_phrase(out, predicate.adjective->de_preposition, complement,
                                predicate.adjective->complement_case);
  }
}

void subject_and_pronouns(Line& out, const Clause& clause, bool says_subject) {
  const Verb& verb = *clause.verb;
  const std::string_view sich =
      !is_reflexive(verb)
          ? std::string_view()
          : reflexive_pronoun(agreement_of(clause.subject), verb.is(kDativeSich) ? Case::kDative : Case::kAccusative);
  // "freut sich der Mann", but "freut er sich": only a full noun lets "sich" go first.
  const bool full_noun = (clause.subject.kind == Kind::kNoun && clause.subject.determiner != Determiner::kWhose) ||
                         clause.subject.kind == Kind::kName;
  if (says_subject && !full_noun) german_noun_phrase(out, clause.subject, Case::kNominative);
  out.add(sich);
  if (says_subject && full_noun) german_noun_phrase(out, clause.subject, Case::kNominative);
  for (const NounPhrase& direct : clause.direct) {
    if (direct.kind == Kind::kPronoun && is_plain_object(verb)) german_direct_object(out, clause);
  }
  for (const NounPhrase& indirect : clause.indirect) {
    if (indirect.kind == Kind::kPronoun) german_noun_phrase(out, indirect, Case::kDative);
  }
}

void time(Line& out, const Clause& clause) {
  if (clause.front != Front::kTime) german_slot(out, clause, Slot::kTime);
  const bool at_this_moment = clause.tense == Tense::kProgressive && clause.verb->frame != Frame::kWeather &&
                              !find(clause, Slot::kTime) && !clause.question_word;
  if (at_this_moment) out.add("gerade");
}

// Where "nicht" stands: behind the definite objects, before place, goal and predicate.
void negation(Line& out, const Clause& clause, bool says_nicht) {
  for (const Adverbial& adverbial : clause.adverbials) {
    if (adverbial.behind_objects) german_adverbial(out, adverbial);
  }
  if (clause.tense == Tense::kPerfect) out.add(clause.negated ? "noch" : "schon");
  if (says_nicht) out.add("nicht");
}

}  // namespace

void german_slot(Line& out, const Clause& clause, Slot slot) {
  for (const Adverbial& adverbial : clause.adverbials) {
    if (adverbial.slot == slot && !adverbial.behind_objects) german_adverbial(out, adverbial);
  }
}

void german_direct_object(Line& out, const Clause& clause) {
  const Verb& verb = *clause.verb;
  const NounPhrase object = with_kein(clause.direct[0], negates_object(clause));
  if (is_plain_object(verb)) {
    german_noun_phrase(out, object, object_case(verb), RelativeClause::kLater);
  } else {
    german_prepositional_phrase(out, verb.de_preposition, object, object_case(verb), RelativeClause::kLater);
  }
}

void german_middle_field(Line& out, const Clause& clause, bool says_subject) {
  const Verb& verb = *clause.verb;
  subject_and_pronouns(out, clause, says_subject);
  const bool says_nicht = clause.negated && !negates_object(clause) && !negates_predicate(clause);
  const bool has_object = !clause.direct.empty() && clause.front != Front::kDirect;
  const bool full_object = has_object && is_plain_object(verb) && clause.direct[0].kind != Kind::kPronoun;
  const bool early_object = full_object && (is_definite(clause.direct[0]) || object_case(verb) == Case::kDative);
  const auto objects = [&] {
    const bool full_indirect =
        !clause.indirect.empty() && clause.front != Front::kIndirect && clause.indirect[0].kind != Kind::kPronoun;
    if (full_indirect) german_noun_phrase(out, clause.indirect[0], Case::kDative);
    if (early_object) german_direct_object(out, clause);
  };
  // "liest heute das Buch", but "liest das Buch heute nicht".
  const bool objects_first = says_nicht && !is_gern(clause);
  if (objects_first) objects();
  time(out, clause);
  german_slot(out, clause, Slot::kFrequency);
  if (is_gern(clause)) out.add(clause.negated ? "nicht gern" : "gern");
  if (!objects_first) objects();
  negation(out, clause, objects_first);
  for (const Slot slot : {Slot::kCompanion, Slot::kManner, Slot::kMeans}) german_slot(out, clause, slot);
  if (clause.front != Front::kPlace) german_slot(out, clause, Slot::kPlace);
  if (full_object && !early_object) german_direct_object(out, clause);
  if (has_object && !is_plain_object(verb)) german_direct_object(out, clause);
  german_slot(out, clause, Slot::kBenefit);
  predicate(out, clause);
  german_slot(out, clause, Slot::kGoal);
}

}  // namespace verbund::demo
