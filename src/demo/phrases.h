// Random noun phrases and adverbials that make sense in their place.
#pragma once

#include <optional>

#include "demo/dice.h"
#include "demo/syntax.h"

namespace verbund::demo {

// The pronoun that takes a phrase up again, if English and German agree about it: a girl is
// "she" in English but "es" in German, so nobody refers back to her.
std::optional<NounPhrase> pronoun_for(const NounPhrase& phrase);

// How many singular phrases of a clause "it" could refer to.
int things_called_it(const Clause& clause);

class PhraseSampler {
 public:
  explicit PhraseSampler(Dice& dice) : dice_(dice) {}

  NounPhrase subject(Classes classes, const NounPhrase* owner = nullptr);

  // `owner` is what "his" and "its" refer to, mostly the subject of the clause. A specific
  // object can stand in a negated clause or behind a preposition: no numbers, no "many".
  NounPhrase object(Classes classes, const NounPhrase& owner, bool specific);

  // Somebody other than `owner`: a name, a pronoun, somebody's brother.
  NounPhrase somebody(const NounPhrase& owner);

  Adverbial place(const Verb& verb, const NounPhrase& owner);
  Adverbial region();  // in Berlin
  Adverbial goal(const Verb& verb, const NounPhrase& owner);
  // On, under, behind something that is kFurniture or a kLandmark; where, or where to.
  Adverbial beside(const NounPhrase& owner, Slot slot, Classes what);
  Adverbial companion(const NounPhrase& owner);
  Adverbial benefit(const NounPhrase& owner);
  Adverbial means_of_travel();

  NounPhrase name();
  void describe(NounPhrase& phrase, int percent);  // perhaps adds adjectives

 private:
  NounPhrase noun_phrase(const Noun& noun);
  NounPhrase personal_pronoun();
  void make_possessive(NounPhrase& phrase, const NounPhrase* owner);
  void choose_subject_determiner(NounPhrase& phrase, const NounPhrase* owner);
  void choose_object_determiner(NounPhrase& phrase, const NounPhrase& owner, bool specific);
  const Noun& noun_of(Classes classes, const NounPhrase* owner = nullptr);

  Dice& dice_;
};

}  // namespace verbund::demo
