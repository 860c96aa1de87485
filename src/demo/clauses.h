// Random clauses: a verb or "to be" with everything that belongs to it, in a tense that fits
// its adverbials.
#pragma once

#include "demo/phrases.h"
#include "demo/times.h"

namespace verbund::demo {

// People and animals do many things; of others we only say how they are.
inline bool can_act(const NounPhrase& phrase) { return (classes_of(phrase) & (kPerson | kPet)) != 0; }

// Which states a clause may be about: anything, qualities (no ages, no professions), or only
// those that come and go.
enum class States : uint8_t { kAny, kQualities, kPassing };

// What the surroundings ask of a clause.
struct ClauseWish {
  Period period = Period::kPast;
  const NounPhrase* subject = nullptr;  // given, or to be invented
  const NounPhrase* owner = nullptr;    // what "his" in an invented subject refers to
  bool times = true;                    // adverbials of time are welcome
  bool frequencies = true;              // "often"; needed for habits, unless a time tells them
  bool modals = true;
  bool negation = true;
  bool perfect = true;  // "has already"
  States states = States::kAny;
};

// The period itself, or one in which the verb makes sense.
Period suitable_period(const Verb& verb, Period period);

class ClauseSampler {
 public:
  explicit ClauseSampler(Dice& dice) : dice_(dice), phrases_(dice) {}

  Clause event(const ClauseWish& wish);  // somebody does something
  Clause event(const Verb& verb, const ClauseWish& wish);
  Clause state(const ClauseWish& wish);  // something is big, tired, older than ...
  Clause any(const ClauseWish& wish);
  Clause passive(Period period);
  Clause weather(Period period);

  // An infinitive with an object or a goal, done by `subject`.
  Clause intention(const NounPhrase& subject);

  // Moves an adverbial of time to the front, if there is one.
  void perhaps_front_time(Clause& clause, int percent);
  void perhaps_add_relatives(Clause& clause);

  PhraseSampler& phrases() { return phrases_; }

 private:
  const Verb& choose_verb(Classes subjects, Period period);
  void choose_tense(Clause& clause, const ClauseWish& wish);
  void choose_modal(Clause& clause, const ClauseWish& wish);
  void make_habit(Clause& clause, const ClauseWish& wish);
  void add_objects(Clause& clause);
  void add_place(Clause& clause);
  void add_manner(Clause& clause);
  void fill_predicate(Clause& clause, States states);
  bool fill_personal_predicate(Clause& clause);
  Clause relative_clause(const NounPhrase& antecedent);
  Clause place_relative(const NounPhrase& antecedent, ClauseWish wish);
  Clause object_relative(const NounPhrase& antecedent, const Verb& verb, ClauseWish wish);
  Clause owner_relative(const NounPhrase& antecedent, ClauseWish wish);
  Clause subject_relative(const NounPhrase& antecedent, ClauseWish wish);

  Dice& dice_;
  PhraseSampler phrases_;
};

}  // namespace verbund::demo
