#include "demo/clauses.h"

#include "core/error.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

// "They read it" may be present or past; German must know which.
void make_tense_visible(Clause& clause) {
  const bool same_forms = english_head(*clause.verb) == clause.verb->en_past;
  if (same_forms && clause.tense == Tense::kPresent && !clause.modal &&
      !agreement_of(clause.subject).third_singular()) {
    clause.tense = Tense::kPast;
  }
}

// "bought her books": whose books, or books for her? Both verbs exist, so this is avoided.
bool is_her(const NounPhrase& phrase) { return phrase.kind == Kind::kPronoun && phrase.pronoun == Pronoun::kShe; }

}  // namespace

Period suitable_period(const Verb& verb, Period period) {
  switch (period) {
    case Period::kHabit:
      return verb.is(kOnce) ? Period::kPast : period;
    case Period::kNow:
      return verb.is(kPunctual) ? Period::kPast : period;
    case Period::kFuture:
      return verb.is(kStative) ? Period::kNow : period;
    case Period::kPast:
      return period;
  }
  return period;
}

const Verb& ClauseSampler::choose_verb(Classes subjects, Period period) {
  const auto suits = [&](const Verb& verb) { return (verb.subjects & subjects) != 0; };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Frame frame = dice_.weighted<Frame>({{17, Frame::kIntransitive},
                                               {36, Frame::kTransitive},
                                               {11, Frame::kDative},
                                               {13, Frame::kDitransitive},
                                               {13, Frame::kPrepositional},
                                               {9, Frame::kMotion},
                                               {6, Frame::kPosition},
                                               {3, Frame::kPlacing}});
    const Verb* verb = dice_.pick_where(verbs(), [&](const Verb& entry) {
      return entry.frame == frame && suits(entry) && suitable_period(entry, period) == period;
    });
    if (verb) return *verb;
  }
  // A subject that does little, at a bad time: trains arrive, but are never seen arriving.
  const Verb* verb =
      dice_.pick_where(verbs(), [&](const Verb& entry) { return entry.frame <= Frame::kPlacing && suits(entry); });
  if (!verb) fail("no verb of the demo lexicon has a subject of the classes {:#x}", subjects);
  return *verb;
}

void ClauseSampler::choose_modal(Clause& clause, const ClauseWish& wish) {
  const bool past = wish.period == Period::kPast;
  const bool only_once = clause.verb->is(kOnce);
  clause.modal = dice_.pick_where(
      modals(), [&](const Modal& entry) { return (!past || entry.has_past()) && !(only_once && entry.is_gern()); });
  clause.tense = past ? Tense::kPast : Tense::kPresent;
  const bool likes = clause.modal->is_gern();
  if (wish.times && !likes && dice_.chance(40)) {
    clause.adverbials.push_back(time_adverbial(dice_, past ? Period::kPast : Period::kFuture));
  }
  clause.negated = wish.negation && is_specific(clause.subject) && dice_.chance(14);
}

// Something that is done again and again: the present tense and a word that says how often.
void ClauseSampler::make_habit(Clause& clause, const ClauseWish& wish) {
  clause.tense = Tense::kPresent;
  const bool nobody = clause.subject.determiner == Determiner::kNo;  // "never" would deny it twice
  if (clause.verb->is(kStative)) {
    clause.negated = wish.negation && is_specific(clause.subject) && dice_.chance(14);
  } else if (wish.negation && is_specific(clause.subject) && dice_.chance(12)) {
    clause.negated = true;  // "does not drink coffee"
  } else if (wish.times && (!wish.frequencies || dice_.chance(45))) {
    clause.adverbials.push_back(time_adverbial(dice_, Period::kHabit));
  } else if (wish.frequencies) {
    clause.adverbials.push_back(frequency_adverb(dice_, !nobody));
  }
}

void ClauseSampler::choose_tense(Clause& clause, const ClauseWish& wish) {
  const Verb& verb = *clause.verb;
  const bool lasting = verb.is(kStative);
  const bool can_intend = !lasting && !verb.is(kPunctual) && (classes_of(clause.subject) & kPerson);
  const bool past = wish.period == Period::kPast;
  int time_percent = lasting || !wish.times ? 0 : 45;
  if (wish.modals && can_intend && dice_.chance(22)) {
    choose_modal(clause, wish);
    return;
  }
  if (wish.period == Period::kHabit) {
    make_habit(clause, wish);
    return;
  }
  if (wish.period == Period::kFuture) {
    clause.tense = Tense::kFuture;
  } else if (wish.period == Period::kNow) {
    clause.tense = lasting ? Tense::kPresent : Tense::kProgressive;
  } else if (wish.perfect && !lasting && verb.frame != Frame::kPosition && dice_.chance(9)) {
    clause.tense = Tense::kPerfect;
    time_percent = 0;
  } else {
    clause.tense = Tense::kPast;
  }
  const bool again_and_again = past && clause.tense == Tense::kPast && wish.frequencies && !verb.is(kStative | kOnce);
  if (again_and_again && dice_.chance(7)) {
    const bool nobody = clause.subject.determiner == Determiner::kNo;
    clause.adverbials.push_back(frequency_adverb(dice_, !nobody));
    return;
  }
  if (dice_.chance(time_percent)) clause.adverbials.push_back(time_adverbial(dice_, wish.period));
  clause.negated = wish.negation && is_specific(clause.subject) && dice_.chance(14);
}

void ClauseSampler::add_objects(Clause& clause) {
  const Verb& verb = *clause.verb;
  const NounPhrase& owner = clause.subject;
  switch (verb.frame) {
    case Frame::kTransitive:
    case Frame::kPlacing:
      // Behind "not" only what "kein" or "nicht" can deny: no numbers.
      do {
        clause.direct = {phrases_.object(verb.objects, owner, false)};
      } while (clause.negated && !is_specific(clause.direct[0]) &&
               clause.direct[0].determiner != Determiner::kIndefinite &&
               clause.direct[0].determiner != Determiner::kBare);
      break;
    case Frame::kDitransitive:
      clause.indirect = {dice_.chance(60) ? phrases_.somebody(owner) : phrases_.object(kPerson, owner, true)};
      do {
        clause.direct = {phrases_.object(verb.objects, owner, clause.negated)};
      } while (clause.direct[0].kind != Kind::kNoun ||
               (is_her(clause.indirect[0]) && clause.direct[0].determiner == Determiner::kBare));
      break;
    case Frame::kDative:
    case Frame::kPrepositional:
      do {
        clause.direct = {phrases_.object(verb.objects, owner, true)};
      } while (clause.negated && !is_specific(clause.direct[0]));
      break;
    default:
      break;
  }
}

// Where, and where to.
void ClauseSampler::add_place(Clause& clause) {
  const Verb& verb = *clause.verb;
  const NounPhrase& owner = clause.subject;
  const bool by_person = (classes_of(owner) & kPerson) != 0;
  const auto add = [&](Adverbial adverbial) { clause.adverbials.push_back(std::move(adverbial)); };
  switch (verb.frame) {
    case Frame::kMotion:
      return add(phrases_.goal(verb, owner));
    case Frame::kPlacing:
      return add(phrases_.beside(owner, Slot::kGoal, kFurniture));
    case Frame::kPosition:
      if (verb.is(kByLandmark)) return add(phrases_.beside(owner, Slot::kPlace, kLandmark));
      if (verb.is(kOnFurniture) && (!by_person || dice_.chance(50))) {
        return add(phrases_.beside(owner, Slot::kPlace, kFurniture));
      }
      return add(phrases_.place(verb, owner));
    default:
      if (!verb.is(kPlaceable) || clause.tense == Tense::kPerfect || dice_.chance(70)) return;
      if (by_person || dice_.chance(50)) return add(phrases_.place(verb, owner));
      return add(phrases_.beside(owner, Slot::kPlace, kFurniture));
  }
}

// How, with whom, for whom: at most one of them, and none in a negated clause, which would
// deny only that.
void ClauseSampler::add_manner(Clause& clause) {
  const Verb& verb = *clause.verb;
  if (clause.negated) return;
  const bool somewhere = find(clause, Slot::kPlace) != nullptr;
  const MannerAdverb* manner = dice_.pick_where(manner_adverbs(), [&](const MannerAdverb& entry) {
    return verb.is(entry.suits) && !(somewhere && entry.suits == kWell);
  });
  const bool definite_object = clause.direct.empty() || is_definite(clause.direct[0]);
  const bool has_frequency = find(clause, Slot::kFrequency) != nullptr;
  const bool by_person = (classes_of(clause.subject) & kPerson) != 0;
  if (by_person && verb.is(kSocial) && dice_.chance(22)) {
    clause.adverbials.push_back(phrases_.companion(clause.subject));
  } else if (manner && definite_object && !has_frequency && dice_.chance(22)) {
    clause.adverbials.push_back({Slot::kManner, manner->en, manner->de});
  } else if (verb.is(kForSomebody) && dice_.chance(22)) {
    clause.adverbials.push_back(phrases_.benefit(clause.subject));
  } else if (verb.is(kByVehicle) && dice_.chance(35)) {
    clause.adverbials.push_back(phrases_.means_of_travel());
  }
}

Clause ClauseSampler::any(const ClauseWish& wish) {
  const bool may_act = !wish.subject || can_act(*wish.subject);
  return may_act && dice_.chance(75) ? event(wish) : state(wish);
}

Clause ClauseSampler::event(const ClauseWish& wish) {
  const Classes subjects = wish.subject ? classes_of(*wish.subject) : ~Classes{0};
  return event(choose_verb(subjects, wish.period), wish);
}

Clause ClauseSampler::event(const Verb& verb, const ClauseWish& asked) {
  ClauseWish wish = asked;
  wish.period = suitable_period(verb, wish.period);
  Clause clause;
  clause.verb = &verb;
  clause.subject = wish.subject ? *wish.subject : phrases_.subject(verb.subjects, wish.owner);
  choose_tense(clause, wish);
  add_objects(clause);
  add_place(clause);
  add_manner(clause);
  make_tense_visible(clause);
  return clause;
}

Clause ClauseSampler::intention(const NounPhrase& subject) {
  Clause clause;
  clause.subject = subject;
  clause.silent_subject = true;
  do {
    clause.verb = &choose_verb(kAdult, Period::kFuture);
  } while (clause.verb->is(kStative | kPunctual) || clause.verb->frame == Frame::kIntransitive ||
           clause.verb->frame == Frame::kPosition);
  add_objects(clause);
  add_place(clause);
  add_manner(clause);
  return clause;
}

void ClauseSampler::perhaps_front_time(Clause& clause, int percent) {
  if (find(clause, Slot::kTime) && dice_.chance(percent)) clause.front = Front::kTime;
}

}  // namespace verbund::demo
