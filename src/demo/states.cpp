// Random clauses in which nobody acts: states, passives, weather (declared in demo_clauses.h).
#include "demo/clauses.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

constexpr Classes kDescribable = kPerson | kAnimal | kFood | kDrink | kReadable | kTale | kSong | kVehicle | kBuilding |
                                 kRoom | kFurniture | kClothing | kDevice | kPlant | kTopic | kEvent | kShow;

}  // namespace

// A profession, an age or an attitude; false if there is nothing of that kind to say.
bool ClauseSampler::fill_personal_predicate(Clause& clause) {
  Predicate& predicate = clause.predicate;
  const NounPhrase& subject = clause.subject;
  const bool single = !agreement_of(subject).plural;
  const std::optional<NounPhrase> pronoun = pronoun_for(subject);
  const bool he = pronoun && pronoun->pronoun == Pronoun::kHe, she = pronoun && pronoun->pronoun == Pronoun::kShe;
  switch (dice_.between(0, 2)) {
    case 0: {
      if (!he && !she) return false;
      NounPhrase job;
      job.noun = dice_.pick_where(nouns(), [&](const Noun& entry) {
        return entry.has(kJob) && (entry.gender == Gender::kMasculine) == he && &entry != subject.noun;
      });
      job.determiner = Determiner::kIndefinite;
      job.adjective = dice_.pick_where(
          adjectives(), [&](const Adjective& entry) { return (entry.classes & kAdult) && !entry.passing; });
      if (dice_.chance(50)) job.adjective = &adjective(dice_.pick({"good", "bad"}));
      predicate.noun = {job};
      return true;
    }
    case 1: {
      const bool of_any_age = single && !(subject.noun && subject.noun->has(kSingular));
      if (!of_any_age) return false;
      predicate.years = classes_of(subject) & kChild ? dice_.between(3, 17) : dice_.between(18, 90);
      return true;
    }
    default:
      predicate.adjective = &dice_.pick(attitudes());
      predicate.complement = {phrases_.object(predicate.adjective->complements, subject, true)};
      return true;
  }
}

void ClauseSampler::fill_predicate(Clause& clause, States states) {
  Predicate& predicate = clause.predicate;
  const NounPhrase& subject = clause.subject;
  const Classes classes = classes_of(subject);
  const bool may_be_personal = states == States::kAny && (classes & kPerson);
  if (may_be_personal && dice_.chance(35) && fill_personal_predicate(clause)) return;
  const auto suits = [&](const Adjective& entry) {
    return (entry.classes & classes) != 0 && &entry != subject.adjective;
  };
  const Adjective* colour = dice_.pick_where(colours(), suits);
  predicate.adjective = dice_.pick_where(adjectives(), suits);
  if (states == States::kPassing) {
    const Adjective* passing =
        dice_.pick_where(adjectives(), [&](const Adjective& entry) { return suits(entry) && entry.passing; });
    if (passing) predicate.adjective = passing;
    return;
  }
  if (colour && dice_.chance(15)) predicate.adjective = colour;
  if (!predicate.adjective->is_gradable()) return;
  if (dice_.chance(28)) {
    predicate.degree = dice_.chance(75) ? Degree::kComparative : Degree::kEqual;
    do {
      predicate.standard = {phrases_.subject(classes & predicate.adjective->classes)};
    } while (predicate.standard[0].kind == Kind::kPronoun || predicate.standard[0].noun == subject.noun ||
             predicate.standard[0].determiner == Determiner::kNo);
  } else {
    predicate.very = dice_.chance(15);
  }
}

Clause ClauseSampler::state(const ClauseWish& wish) {
  Clause clause;
  clause.verb = &verb("be", Frame::kCopula);
  clause.subject =
      wish.subject ? *wish.subject : phrases_.subject(dice_.chance(50) ? kPerson : kDescribable, wish.owner);
  clause.tense = wish.period == Period::kPast ? Tense::kPast : Tense::kPresent;
  fill_predicate(clause, wish.states);
  const Adjective* adjective = clause.predicate.adjective;
  const bool passing = adjective && adjective->passing && clause.predicate.degree == Degree::kPositive;
  if (passing && wish.period == Period::kFuture) clause.tense = Tense::kFuture;
  if (passing && wish.times && dice_.chance(35)) {
    const bool present = clause.tense == Tense::kPresent;
    clause.adverbials.push_back(present && wish.frequencies && dice_.chance(50)
                                    ? frequency_adverb(dice_, clause.subject.determiner != Determiner::kNo)
                                    : day(dice_, present ? Period::kNow : wish.period));
  }
  const bool frequency = find(clause, Slot::kFrequency) != nullptr;
  clause.negated =
      wish.negation && !frequency && clause.predicate.years == 0 && is_specific(clause.subject) && dice_.chance(16);
  return clause;
}

Clause ClauseSampler::passive(Period period) {
  const Verb& verb = *dice_.pick_where(verbs(), [](const Verb& entry) { return entry.is(kPassive); });
  if (verb.is(kOnce) && period == Period::kHabit) period = Period::kPast;
  Clause clause;
  clause.verb = &verb;
  clause.passive = true;
  do {
    clause.subject = phrases_.subject(verb.objects);
  } while (clause.subject.kind == Kind::kPronoun || clause.subject.determiner == Determiner::kNo);
  clause.tense = period == Period::kPast ? Tense::kPast : period == Period::kFuture ? Tense::kFuture : Tense::kPresent;
  if (period == Period::kNow) {
    clause.modal = dice_.weighted<const Modal*>({{50, &modal("have")}, {25, &modal("can")}, {25, &modal("should")}});
  }
  if (period == Period::kHabit || dice_.chance(50)) {
    clause.adverbials.push_back(time_adverbial(dice_, period == Period::kNow ? Period::kFuture : period));
  }
  const bool habit = period == Period::kHabit;
  clause.negated = !habit && is_specific(clause.subject) && dice_.chance(12);
  if (!clause.negated && !clause.modal && dice_.chance(40)) {
    NounPhrase agent = phrases_.subject(verb.subjects & kAdult);
    if (agent.kind == Kind::kPronoun || agent.determiner == Determiner::kNo) agent = phrases_.name();
    clause.adverbials.push_back({Slot::kCompanion, "by", "von", {agent}, Case::kDative});
  }
  return clause;
}

Clause ClauseSampler::weather(Period period) {
  Clause clause;
  clause.verb = dice_.pick({&verb("rain", Frame::kWeather), &verb("snow", Frame::kWeather)});
  clause.subject = pronoun_phrase(Pronoun::kIt);
  clause.tense = period == Period::kHabit  ? Tense::kPresent
                 : period == Period::kNow  ? Tense::kProgressive
                 : period == Period::kPast ? Tense::kPast
                                           : Tense::kFuture;
  return clause;
}

}  // namespace verbund::demo
