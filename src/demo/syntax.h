// What a sentence of the demo corpus says, before it is put into words: noun phrases and
// clauses that belong to neither language. english_sentence and german_sentence both start
// from here, so the two sides of a pair always mean the same.
#pragma once

#include <string>
#include <vector>

#include "demo/forms.h"
#include "demo/lexicon.h"

namespace verbund::demo {

// A part that may be missing, of a type that may contain itself: none or one.
template <typename T>
using Maybe = std::vector<T>;

enum class Pronoun : uint8_t { kI, kYou, kHe, kShe, kIt, kWe, kThey };

enum class Determiner : uint8_t {
  kBare,        // books
  kDefinite,    // the
  kIndefinite,  // a
  kNo,
  kThis,  // this, these
  kEvery,
  kAll,
  kBoth,
  kMany,
  kSome,
  kWhich,
  kHowMany,
  kCount,       // three, 21
  kPossessive,  // my; the owner is `pronoun`
  kOfName,      // Anna's; the owner is `name`
  kWhose,       // of a relative clause
};

struct Clause;

struct NounPhrase {
  enum class Kind : uint8_t { kNoun, kName, kPronoun, kWho, kWhat, kRelative };

  Kind kind = Kind::kNoun;
  Determiner determiner = Determiner::kDefinite;
  const Noun* noun = nullptr;
  bool plural = false;  // also of the antecedent of a relative pronoun
  int count = 0;
  const Adjective* adjective = nullptr;  // of a pronoun: what was said before of what it stands for
  bool very = false;
  bool superlative = false;
  const Adjective* colour = nullptr;  // a second adjective, behind the first
  const Name* name = nullptr;
  Pronoun pronoun = Pronoun::kIt;
  // Of what a pronoun "it", an owner "its" or a relative pronoun stands for: English does not
  // show it, German needs it.
  Gender gender = Gender::kNeuter;
  Classes referent = kAdult;  // what that is
  bool plural_owner = false;  // of "whose"

  Maybe<NounPhrase> genitive;  // the roof "of the house"
  Maybe<NounPhrase> partner;   // Anna "and her brother"
  Maybe<Clause> relative;
};

enum class Slot : uint8_t { kTime, kFrequency, kManner, kMeans, kCompanion, kPlace, kBenefit, kGoal };

struct Adverbial {
  Slot slot;
  std::string en, de;  // whole, or the prepositions of `phrase`
  Maybe<NounPhrase> phrase = {};
  Case phrase_case = Case::kDative;
  bool behind_objects = false;  // "nie" stands where "nicht" does
};

enum class Degree : uint8_t { kPositive, kComparative, kEqual };

// What stands behind "to be".
struct Predicate {
  const Adjective* adjective = nullptr;
  bool very = false;
  Degree degree = Degree::kPositive;
  Maybe<NounPhrase> standard;    // than whom, as whom
  Maybe<NounPhrase> complement;  // proud of whom
  Maybe<NounPhrase> noun;        // a good doctor
  int years = 0;                 // 35 years old
};

enum class Tense : uint8_t {
  kPresent,
  kProgressive,  // German says "gerade" unless another adverbial tells the time
  kPast,         // Perfekt, or Präteritum of verbs that are kSimplePast
  kNarrative,    // past in a when-clause: always Präteritum
  kPerfect,      // "has already", "has not yet"
  kPluperfect,
  kFuture,
};

// What comes first.
enum class Front : uint8_t { kSubject, kTime, kPlace, kDirect, kIndirect, kQuestionWord, kSubclause };

struct Conjunction {
  Text en, de;
  bool en_comma = false;  // before it, when the clause stands behind
};

struct Subclause;
struct InfinitiveClause;

struct Clause {
  NounPhrase subject;
  bool silent_subject = false;  // understood from what stands before: "opened the door and went home"
  const Verb* verb = nullptr;
  const Modal* modal = nullptr;
  Tense tense = Tense::kPresent;
  bool negated = false;
  bool passive = false;
  Maybe<NounPhrase> direct, indirect;
  Maybe<NounPhrase> instead;  // not a cat "but a dog"
  std::vector<Adverbial> adverbials;
  Predicate predicate;
  Front front = Front::kSubject;
  const WordPair* question_word = nullptr;  // where, when, why, how
  Maybe<InfinitiveClause> infinitive;
  Maybe<Subclause> content;  // what is said, known or asked
  Maybe<Subclause> adjunct;  // when, why, although
};

struct Subclause {
  const Conjunction* conjunction;  // none before an indirect question with a question word
  Clause clause;
};

struct InfinitiveClause {
  enum class Kind : uint8_t { kPlain, kPurpose, kWithout };
  Kind kind = Kind::kPlain;
  Clause clause;
};

struct Sentence {
  enum class Kind : uint8_t { kStatement, kQuestion, kCommand, kPleaseCommand, kProposal };
  Kind kind = Kind::kStatement;
  Clause clause;
  const Conjunction* connector = nullptr;  // and, but, for, so
  Maybe<Clause> second;
};

// Connectors of main clauses; German turns the clause around behind "deshalb".
extern const Conjunction kAnd, kBut, kFor, kSo;

Agreement agreement_of(const NounPhrase& phrase);
Gender grammatical_gender(const NounPhrase& phrase);
bool is_definite(const NounPhrase& phrase);
bool is_specific(const NounPhrase& phrase);         // one that a negated clause can be about: not "every", "a"
bool is_question_phrase(const NounPhrase& phrase);  // who, what, which, how many
Case object_case(const Verb& verb);
const Adverbial* find(const Clause& clause, Slot slot);

// The relative pronoun for `antecedent`.
NounPhrase relative_to(const NounPhrase& antecedent);
NounPhrase pronoun_phrase(Pronoun pronoun, Gender gender = Gender::kNeuter, Classes referent = kAdult);

// What a phrase stands for; people with a name are grown up.
Classes classes_of(const NounPhrase& phrase);

std::string english_sentence(const Sentence& sentence);
std::string german_sentence(const Sentence& sentence);

}  // namespace verbund::demo
