// Short names for building sentences of the demo corpus by hand, in tests.
#pragma once

#include <string_view>
#include <utility>

#include "demo/syntax.h"

namespace verbund::demo {

inline NounPhrase phrase(Determiner determiner, std::string_view en, std::string_view describe = "") {
  NounPhrase result;
  result.determiner = determiner;
  result.noun = &noun(en);
  if (!describe.empty()) result.adjective = &adjective(describe);
  return result;
}

inline NounPhrase the(std::string_view en, std::string_view describe = "") {
  return phrase(Determiner::kDefinite, en, describe);
}
inline NounPhrase a(std::string_view en, std::string_view describe = "") {
  return phrase(Determiner::kIndefinite, en, describe);
}
inline NounPhrase bare(std::string_view en, std::string_view describe = "") {
  return phrase(Determiner::kBare, en, describe);
}
inline NounPhrase possessed(Pronoun owner, std::string_view en, std::string_view describe = "") {
  NounPhrase result = phrase(Determiner::kPossessive, en, describe);
  result.pronoun = owner;
  return result;
}
inline NounPhrase plural(NounPhrase result) {
  result.plural = true;
  return result;
}
inline NounPhrase counted(int count, std::string_view en, std::string_view describe = "") {
  NounPhrase result = plural(phrase(Determiner::kCount, en, describe));
  result.count = count;
  return result;
}
inline NounPhrase named(std::string_view text) {
  NounPhrase result;
  result.kind = NounPhrase::Kind::kName;
  result.name = &name(text);
  return result;
}
inline NounPhrase asking(NounPhrase::Kind kind) {
  NounPhrase result;
  result.kind = kind;
  return result;
}
inline NounPhrase pronoun(Pronoun which, Gender gender = Gender::kNeuter) { return pronoun_phrase(which, gender); }

inline Clause clause(NounPhrase subject, std::string_view verb_en, Frame frame, Tense tense = Tense::kPresent) {
  Clause result;
  result.subject = std::move(subject);
  result.verb = &verb(verb_en, frame);
  result.tense = tense;
  return result;
}

inline Clause transitive(NounPhrase subject, std::string_view verb_en, NounPhrase object,
                         Tense tense = Tense::kPresent) {
  Clause result = clause(std::move(subject), verb_en, Frame::kTransitive, tense);
  result.direct = {std::move(object)};
  return result;
}

inline Clause being(NounPhrase subject, std::string_view describe, Tense tense = Tense::kPresent) {
  Clause result = clause(std::move(subject), "be", Frame::kCopula, tense);
  result.predicate.adjective = &adjective(describe);
  return result;
}

inline Adverbial time(std::string_view en, std::string_view de) {
  return {Slot::kTime, std::string(en), std::string(de)};
}

// A statement whose time comes first.
inline Clause at_first(Adverbial adverbial, Clause result) {
  result.adverbials.push_back(std::move(adverbial));
  result.front = Front::kTime;
  return result;
}

inline Clause with(Clause result, Adverbial adverbial) {
  result.adverbials.push_back(std::move(adverbial));
  return result;
}

inline Clause negated(Clause result) {
  result.negated = true;
  return result;
}

inline Clause with_modal(Clause result, std::string_view en) {
  result.modal = &modal(en);
  return result;
}

inline Sentence statement(Clause of) { return {.clause = std::move(of)}; }
inline Sentence question(Clause of) { return {.kind = Sentence::Kind::kQuestion, .clause = std::move(of)}; }

}  // namespace verbund::demo
