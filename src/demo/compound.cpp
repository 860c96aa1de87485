// Sentences of two clauses: subordination, coordination, infinitives (declared in
// demo_grammar.h).
#include "demo/grammar.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

const Conjunction kBecause = {"because", "weil"}, kAlthough = {"although", "obwohl", true},
                  kSoThat = {"so that", "damit"};
const Conjunction kIf = {"if", "wenn"}, kWhenever = {"when", "wenn"}, kAsSoonAs = {"as soon as", "sobald"};
const Conjunction kWhen = {"when", "als"}, kWhile = {"while", "während"}, kBefore = {"before", "bevor"},
                  kAfter = {"after", "nachdem"};

bool says_no(const Clause& clause) { return clause.subject.determiner == Determiner::kNo; }

// Something that is so for long: no circumstance and no consequence of anything.
bool lasts(const Clause& clause) {
  return clause.verb->is(kStative) && clause.verb->frame != Frame::kCopula && !clause.modal;
}

bool is_you(const NounPhrase& phrase) { return phrase.kind == Kind::kPronoun && phrase.pronoun == Pronoun::kYou; }

}  // namespace

std::optional<NounPhrase> clear_pronoun(const Clause& main, const NounPhrase& phrase) {
  if (phrase.determiner == Determiner::kNo || phrase.determiner == Determiner::kEvery) return std::nullopt;
  std::optional<NounPhrase> pronoun = pronoun_for(phrase);
  if (!pronoun || (pronoun->pronoun == Pronoun::kIt && things_called_it(main) != 1)) return std::nullopt;
  const bool is_predicated = &phrase == &main.subject && main.predicate.adjective;
  pronoun->adjective = is_predicated ? main.predicate.adjective : phrase.adjective;
  return pronoun;
}

// "..., because it is cheap" or "..., because he needs it".
std::optional<Clause> SentenceSampler::about_object(const Clause& main, Period period) {
  if (main.direct.empty() || main.direct[0].kind != Kind::kNoun) return std::nullopt;
  const std::optional<NounPhrase> object = clear_pronoun(main, main.direct[0]);
  if (!object) return std::nullopt;
  const bool describable = dice_.pick_where(adjectives(), [&](const Adjective& entry) {
    return (entry.classes & object->referent) != 0;
  }) != nullptr;
  if (describable && dice_.chance(50)) {
    return clauses_.state({.period = period, .subject = &*object, .times = false, .states = States::kQualities});
  }
  const std::optional<NounPhrase> subject = clear_pronoun(main, main.subject);
  const Verb* verb = dice_.pick_where(verbs(), [&](const Verb& entry) {
    return entry.frame == Frame::kTransitive && entry.is(kOpinion) && (entry.objects & object->referent) &&
           &entry != main.verb;
  });
  if (!subject || !verb || !(classes_of(*subject) & verb->subjects)) return std::nullopt;
  Clause clause = clauses_.event(*verb, {.period = period, .subject = &*subject, .times = false});
  clause.direct = {*object};
  return clause;
}

Clause SentenceSampler::sub_clause(const Clause& main, ClauseWish wish) {
  wish.perfect = false;
  wish.states = States::kQualities;
  if (dice_.chance(25)) {
    if (std::optional<Clause> clause = about_object(main, wish.period)) return *clause;
  }
  const std::optional<NounPhrase> again = clear_pronoun(main, main.subject);
  if (again && again->pronoun != Pronoun::kIt) wish.owner = &*again;
  if (again && dice_.chance(50)) wish.subject = &*again;
  const bool second_state = main.verb->frame == Frame::kCopula && (!wish.subject || can_act(*wish.subject));
  return second_state ? clauses_.event(wish) : clauses_.any(wish);
}

SentenceSampler::Attempt SentenceSampler::reason() {
  Sentence sentence;
  Clause& main = sentence.clause;
  const Period when = period();
  main = clauses_.any({.period = when, .perfect = false, .states = States::kQualities});
  if (says_no(main)) return std::nullopt;
  const Period then = when == Period::kFuture ? Period::kNow : when;
  const Clause cause =
      then != Period::kHabit && dice_.chance(8) ? clauses_.weather(then) : sub_clause(main, {.period = then});
  main.adjunct = {{dice_.chance(60) ? &kBecause : &kAlthough, cause}};
  if (dice_.chance(30)) main.front = Front::kSubclause;
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::aim() {
  Sentence sentence;
  Clause& main = sentence.clause;
  const Period when = dice_.pick({Period::kPast, Period::kFuture});
  main = clauses_.event({.period = when, .negation = false, .perfect = false});
  Clause aim = clauses_.event({.period = Period::kNow, .times = false, .modals = false, .negation = false});
  const bool by_people = (classes_of(main.subject) & kPerson) && (classes_of(aim.subject) & kPerson);
  if (says_no(main) || lasts(main) || says_no(aim) || lasts(aim) || !by_people) return std::nullopt;
  aim.modal = &modal("can");
  aim.tense = when == Period::kPast ? Tense::kPast : Tense::kPresent;
  main.adjunct = {{&kSoThat, aim}};
  return sentence;
}

// The condition is in the simple present and has no time of its own: "if he buys a car".
SentenceSampler::Attempt SentenceSampler::condition() {
  const Conjunction& conjunction =
      *dice_.weighted<const Conjunction*>({{45, &kIf}, {35, &kWhenever}, {20, &kAsSoonAs}});
  Sentence sentence;
  Clause& main = sentence.clause;
  main = clauses_.event(
      {.period = &conjunction == &kWhenever ? Period::kHabit : Period::kFuture, .times = false, .perfect = false});
  if (says_no(main) || lasts(main)) return std::nullopt;
  const std::optional<NounPhrase> again = clear_pronoun(main, main.subject);
  ClauseWish wish = {
      .period = Period::kHabit, .times = false, .frequencies = false, .perfect = false, .states = States::kPassing};
  if (again && dice_.chance(45)) wish.subject = &*again;
  Clause clause = dice_.chance(12) ? clauses_.weather(Period::kHabit) : clauses_.any(wish);
  const bool fits = !clause.modal || clause.modal == &modal("can") || clause.modal == &modal("want");
  const bool soon = &conjunction != &kAsSoonAs || clause.verb->frame != Frame::kCopula;
  if (clause.tense != Tense::kPresent || says_no(clause) || lasts(clause) || !fits || !soon) {
    return std::nullopt;
  }
  main.adjunct = {{&conjunction, clause}};
  if (dice_.chance(55)) main.front = Front::kSubclause;
  return sentence;
}

// German tells the circumstance in the Präteritum, or in the Plusquamperfekt what came first.
SentenceSampler::Attempt SentenceSampler::past_time() {
  const Conjunction& conjunction =
      *dice_.weighted<const Conjunction*>({{40, &kWhen}, {15, &kWhile}, {20, &kBefore}, {25, &kAfter}});
  const bool when = &conjunction == &kWhen;
  Sentence sentence;
  Clause& main = sentence.clause;
  main = clauses_.event({.times = !when && &conjunction != &kWhile, .perfect = false});
  const Adverbial* time = find(main, Slot::kTime);
  const bool circumstantial = time && !time->phrase.empty();  // "after the film after ..."
  if (says_no(main) || lasts(main) || circumstantial) return std::nullopt;
  const std::optional<NounPhrase> again = clear_pronoun(main, main.subject);
  ClauseWish wish = {.times = false,
                     .frequencies = false,
                     .modals = false,
                     .negation = false,
                     .perfect = false,
                     .states = States::kPassing};
  if (again && dice_.chance(50)) wish.subject = &*again;
  Clause clause = when && dice_.chance(35)                  ? clauses_.state(wish)
                  : !wish.subject || can_act(*wish.subject) ? clauses_.event(wish)
                                                            : clauses_.state(wish);
  clause.tense = &conjunction == &kAfter ? Tense::kPluperfect : Tense::kNarrative;
  const bool old_fashioned = is_you(clause.subject) && !clause.verb->is(kSimplePast);  // "als du lasest"
  const bool state = clause.verb->frame == Frame::kCopula;
  if (says_no(clause) || lasts(clause) || old_fashioned || (state && !when)) return std::nullopt;
  main.adjunct = {{&conjunction, clause}};
  if (dice_.chance(45)) main.front = Front::kSubclause;
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::coordination() {
  Sentence sentence;
  sentence.connector = dice_.weighted<const Conjunction*>({{45, &kAnd}, {35, &kBut}, {8, &kFor}, {12, &kSo}});
  const bool so = sentence.connector == &kSo;
  const ClauseWish wish = {.period = period(), .perfect = false, .states = States::kQualities};
  sentence.clause = so ? clauses_.state(wish) : clauses_.any(wish);
  if (says_no(sentence.clause)) return std::nullopt;
  clauses_.perhaps_front_time(sentence.clause, 35);
  sentence.second = {sub_clause(sentence.clause, {.period = wish.period})};
  if (!so) clauses_.perhaps_front_time(sentence.second[0], 25);
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::shared_subject() {
  Sentence sentence;
  const Period when = dice_.chance(75) ? Period::kPast : Period::kHabit;
  const Clause& first = sentence.clause;
  sentence.clause = clauses_.event(
      {.period = when, .frequencies = when == Period::kHabit, .modals = false, .negation = false, .perfect = false});
  if (says_no(first) || lasts(first) || !can_act(first.subject)) return std::nullopt;
  Clause second = clauses_.event({.period = when,
                                  .subject = &first.subject,
                                  .times = false,
                                  .frequencies = false,
                                  .modals = false,
                                  .negation = false,
                                  .perfect = false});
  if (lasts(second) || second.verb == first.verb || second.tense != first.tense) return std::nullopt;
  second.silent_subject = true;
  sentence.connector = &kAnd;
  sentence.second = {second};
  clauses_.perhaps_front_time(sentence.clause, 25);
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::plan() {
  const Verb& verb = *dice_.pick_where(verbs(), [](const Verb& entry) { return entry.frame == Frame::kIntention; });
  Sentence sentence;
  Clause& clause = sentence.clause;
  clause = clauses_.event(verb, {.period = dice_.pick({Period::kPast, Period::kNow}),
                                 .frequencies = false,
                                 .modals = false,
                                 .negation = false,
                                 .perfect = false});
  if (says_no(clause)) return std::nullopt;
  clauses_.perhaps_front_time(clause, 100);  // behind the infinitive it would seem to belong to that
  const NounPhrase& subject = clause.subject;
  if (verb.is(kAddressee)) {
    const bool adults_too = (verb.objects & kAdult) != 0;
    clause.direct = {adults_too ? clauses_.phrases().somebody(subject)
                                : clauses_.phrases().object(verb.objects, subject, true)};
  }
  const NounPhrase& doer = clause.direct.empty() ? subject : clause.direct[0];
  clause.infinitive = {{InfinitiveClause::Kind::kPlain, clauses_.intention(doer)}};
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::purpose() {
  const Verb& verb = *dice_.pick_where(verbs(), [](const Verb& entry) { return entry.frame == Frame::kMotion; });
  Sentence sentence;
  Clause& clause = sentence.clause;
  clause = clauses_.event(verb, {.period = period(), .negation = false, .perfect = false});
  const Clause aim = clauses_.intention(clause.subject);
  const bool moves_again = aim.verb->frame == Frame::kMotion || aim.verb->frame == Frame::kPlacing;
  if (says_no(clause) || !(classes_of(clause.subject) & kPerson) || moves_again) return std::nullopt;
  const bool without = clause.tense == Tense::kPast && !find(clause, Slot::kCompanion) && dice_.chance(30);
  clause.infinitive = {{without ? InfinitiveClause::Kind::kWithout : InfinitiveClause::Kind::kPurpose, aim}};
  clauses_.perhaps_front_time(clause, 50);
  return sentence;
}

}  // namespace verbund::demo
