// Random sentences of the demo corpus: statements, questions, commands; subordinate, relative
// and infinitive clauses; coordination. What they say is random, how it is said is grammar.
#pragma once

#include <optional>

#include "demo/clauses.h"

namespace verbund::demo {

class SentenceSampler {
 public:
  explicit SentenceSampler(Random& random) : dice_(random), clauses_(dice_) {}

  Sentence sentence();

 private:
  // Each makes one kind of sentence, or nothing if the dice fell badly.
  using Attempt = std::optional<Sentence>;

  // demo_grammar.cpp
  Attempt statement();
  Attempt description();  // the house is big
  Attempt command();
  Attempt proposal();  // let us ...
  Attempt passive();
  Attempt existence();  // there are many museums
  Attempt price();
  Attempt weather();
  Attempt contrast();  // not a cat but a dog

  // demo_questions.cpp
  Attempt yes_no_question();
  Attempt question();   // who, what, which, how many, where, when, why
  Attempt report();     // says that, knows whether, asks where
  Attempt judgement();  // it is important that

  // demo_compound.cpp
  Attempt reason();          // because, although
  Attempt aim();             // so that
  Attempt condition();       // if, when(ever), as soon as
  Attempt past_time();       // when, while, before, after
  Attempt coordination();    // and, but, for, so
  Attempt shared_subject();  // opened the door and went home
  Attempt plan();            // tries to, asks him to
  Attempt purpose();         // in order to, without

  Period period();
  std::optional<Clause> asking_clause(Period period);  // for direct and indirect questions
  Clause sub_clause(const Clause& main, ClauseWish wish);
  std::optional<Clause> about_object(const Clause& main, Period period);

  Dice dice_;
  ClauseSampler clauses_;
};

// The pronoun for a phrase of the main clause, if nothing else in it could be meant.
std::optional<NounPhrase> clear_pronoun(const Clause& main, const NounPhrase& phrase);

}  // namespace verbund::demo
