// Questions, and sentences that report what somebody says, knows or asks (declared in
// demo_grammar.h).
#include "demo/grammar.h"

namespace verbund::demo {
namespace {

using Kind = NounPhrase::Kind;

const Conjunction kThat = {"that", "dass"}, kWhether = {"whether", "ob"};

void remove_slot(Clause& clause, Slot slot) {
  std::erase_if(clause.adverbials, [&](const Adverbial& entry) { return entry.slot == slot; });
}

NounPhrase question_pronoun(Kind kind) {
  NounPhrase phrase;
  phrase.kind = kind;
  return phrase;
}

// "which", "how many" need a noun that is not somebody's brother or the colour of something.
bool can_ask_which(const NounPhrase& phrase) {
  return phrase.kind == Kind::kNoun && !(phrase.noun->classes & (kRelation | kFeature | kCircumstance));
}

NounPhrase ask_for(const NounPhrase& phrase, Determiner determiner) {
  NounPhrase asked;
  asked.noun = phrase.noun;
  asked.determiner = determiner;
  asked.plural = phrase.plural || determiner == Determiner::kHowMany;
  return asked;
}

bool is_countable(const NounPhrase& phrase) { return !phrase.noun->has(kMass) && !phrase.noun->has(kSingular); }

// Turns the object into a question phrase; false if neither "was" nor "wer" would be right.
bool ask_for_object(Dice& dice, Clause& clause) {
  NounPhrase& direct = clause.direct[0];
  const bool person = (classes_of(direct) & kPerson) != 0;
  if (can_ask_which(direct) && dice.chance(55)) {
    const bool how_many = is_countable(direct) && dice.chance(40);
    direct = ask_for(direct, how_many ? Determiner::kHowMany : Determiner::kWhich);
  } else if (person) {
    direct = question_pronoun(Kind::kWho);
  } else if (clause.verb->frame == Frame::kTransitive || clause.verb->frame == Frame::kDitransitive) {
    direct = question_pronoun(Kind::kWhat);
  } else {
    return false;
  }
  clause.front = Front::kDirect;
  return true;
}

void ask_for_subject(Dice& dice, Clause& clause) {
  if (can_ask_which(clause.subject) && dice.chance(45)) {
    const bool how_many = clause.subject.plural && dice.chance(50);
    clause.subject = ask_for(clause.subject, how_many ? Determiner::kHowMany : Determiner::kWhich);
  } else {
    clause.subject = question_pronoun(Kind::kWho);
  }
}

}  // namespace

SentenceSampler::Attempt SentenceSampler::yes_no_question() {
  Sentence sentence;
  sentence.kind = Sentence::Kind::kQuestion;
  sentence.clause = clauses_.any({.period = period(), .negation = false});
  if (sentence.clause.subject.determiner == Determiner::kNo) return std::nullopt;
  clauses_.perhaps_add_relatives(sentence.clause);
  return sentence;
}

std::optional<Clause> SentenceSampler::asking_clause(Period period) {
  static constexpr WordPair kWhere = {"where", "wo"}, kWhereTo = {"where", "wohin"}, kWhen = {"when", "wann"},
                            kWhy = {"why", "warum"};
  Clause clause = clauses_.event({.period = period, .frequencies = false, .negation = false, .perfect = false});
  if (clause.subject.determiner == Determiner::kNo) return std::nullopt;
  const Verb& verb = *clause.verb;
  const auto with_word = [&](const WordPair& word) {
    clause.question_word = &word;
    clause.front = Front::kQuestionWord;
    return clause;
  };
  enum class Ask { kObject, kRecipient, kPlace, kTime, kSubject, kReason };
  switch (dice_.weighted<Ask>({{38, Ask::kObject},
                               {6, Ask::kRecipient},
                               {16, Ask::kPlace},
                               {12, Ask::kTime},
                               {18, Ask::kSubject},
                               {10, Ask::kReason}})) {
    case Ask::kObject:
      if (clause.direct.empty() || !ask_for_object(dice_, clause)) return std::nullopt;
      return clause;
    case Ask::kRecipient:
      if (clause.indirect.empty() || &verb == &demo::verb("buy", Frame::kDitransitive)) return std::nullopt;
      clause.indirect = {question_pronoun(Kind::kWho)};
      clause.front = Front::kIndirect;
      return clause;
    case Ask::kPlace:
      if (verb.frame == Frame::kMotion && verb.is(kAsksWhereTo)) {
        remove_slot(clause, Slot::kGoal);
        return with_word(kWhereTo);
      }
      if (verb.frame != Frame::kPosition && !verb.is(kPlaceable)) return std::nullopt;
      remove_slot(clause, Slot::kPlace);
      return with_word(kWhere);
    case Ask::kTime:
      if (verb.is(kStative) || (clause.tense != Tense::kPast && clause.tense != Tense::kFuture)) {
        return std::nullopt;
      }
      remove_slot(clause, Slot::kTime);
      return with_word(kWhen);
    case Ask::kSubject:
      if (!(classes_of(clause.subject) & kPerson)) return std::nullopt;
      ask_for_subject(dice_, clause);
      return clause;
    case Ask::kReason:
      return with_word(kWhy);
  }
  return std::nullopt;
}

SentenceSampler::Attempt SentenceSampler::question() {
  const std::optional<Clause> clause = asking_clause(period());
  if (!clause) return std::nullopt;
  return Sentence{.kind = Sentence::Kind::kQuestion, .clause = *clause};
}

SentenceSampler::Attempt SentenceSampler::report() {
  const Verb& verb = *dice_.pick_where(verbs(), [](const Verb& entry) { return entry.frame == Frame::kReport; });
  const bool hopes = &verb == &demo::verb("hope", Frame::kReport);
  const bool wonders = &verb == &demo::verb("wonder", Frame::kReport);
  const bool asks = verb.is(kTakesWhether) && (!verb.is(kTakesThat) || dice_.chance(65));
  const bool past = !hopes && dice_.chance(45);
  Sentence sentence;
  Clause& clause = sentence.clause;
  clause.verb = &verb;
  clause.subject = clauses_.phrases().subject(kPerson);
  if (clause.subject.determiner == Determiner::kNo) return std::nullopt;
  clause.tense = past ? Tense::kPast : Tense::kPresent;
  if (verb.is(kAddressee)) clause.direct = {clauses_.phrases().somebody(clause.subject)};
  if (verb.is(kStative) && !past && dice_.chance(20)) {
    sentence.kind = Sentence::Kind::kQuestion;
  } else if (verb.is(kStative)) {
    clause.negated = !wonders && is_specific(clause.subject) && dice_.chance(asks ? 50 : 12);
  } else if (past && dice_.chance(25)) {
    clause.adverbials.push_back(day(dice_, Period::kPast));
    clauses_.perhaps_front_time(clause, 70);
  }
  const Period when = past ? Period::kPast : hopes ? Period::kFuture : period();
  if (asks && dice_.chance(55)) {
    const std::optional<Clause> asked = asking_clause(when);
    if (!asked) return std::nullopt;
    clause.content = {{nullptr, *asked}};
  } else {
    clause.content = {
        {asks ? &kWhether : &kThat, sub_clause(clause, {.period = when, .modals = !hopes, .negation = !asks})}};
  }
  return sentence;
}

SentenceSampler::Attempt SentenceSampler::judgement() {
  Sentence sentence;
  Clause& clause = sentence.clause;
  const bool past = dice_.chance(30);
  clause.verb = &verb("be", Frame::kCopula);
  clause.subject = pronoun_phrase(Pronoun::kIt);
  clause.tense = past ? Tense::kPast : Tense::kPresent;
  clause.predicate.adjective = &adjective(dice_.pick({"important", "good", "bad", "sad", "interesting"}));
  clause.predicate.very = dice_.chance(25);
  clause.negated = !clause.predicate.very && dice_.chance(10);
  clause.content = {{&kThat, clauses_.any({.period = past ? Period::kPast : period(), .perfect = false})}};
  return sentence;
}

}  // namespace verbund::demo
