// German words for the phrases of the demo corpus. Whole sentences: german_sentence.
#pragma once

#include "demo/line.h"
#include "demo/syntax.h"

namespace verbund::demo {

enum class GermanOrder : uint8_t {
  kVerbSecond,
  kVerbFirst,
  kVerbShared,  // the finite verb has been said in the clause before
  kVerbLast,
  kCommand,
  kZuInfinitive,
  kBareInfinitive,
};

// A relative clause is left out if it is to follow later, behind the verbs.
enum class RelativeClause : uint8_t { kHere, kLater };

void german_noun_phrase(Line& out, const NounPhrase& phrase, Case grammatical_case,
                        RelativeClause relative = RelativeClause::kHere);
void german_prepositional_phrase(Line& out, std::string_view preposition, const NounPhrase& phrase,
                                 Case grammatical_case, RelativeClause relative = RelativeClause::kHere);
void german_adverbial(Line& out, const Adverbial& adverbial);
std::string_view reflexive_pronoun(Agreement agreement, Case grammatical_case);

// The verb forms of a clause: "hat" + "gelesen", "steht" + prefix "auf".
struct GermanVerbs {
  std::string finite;
  std::string prefix;  // of the finite verb
  std::string rest;    // infinitives and participles, in their order at the end of the clause
};
GermanVerbs german_verbs(const Clause& clause);

void german_slot(Line& out, const Clause& clause, Slot slot);  // the adverbials of a slot, if any
// The object with its case or preposition; its relative clause is left for the end field.
void german_direct_object(Line& out, const Clause& clause);
void german_middle_field(Line& out, const Clause& clause, bool says_subject);
void german_clause(Line& out, const Clause& clause, GermanOrder order);

}  // namespace verbund::demo
