// English clauses: verb group with do-support, fixed word order, place before time.
#include "demo/english.h"

namespace verbund::demo {
namespace {

struct VerbGroup {
  std::string finite;
  std::string base;  // of the finite verb, for use behind "do"
  bool is_auxiliary = true;
  Line rest;
};

bool is_past(const Clause& clause) { return clause.tense == Tense::kPast || clause.tense == Tense::kNarrative; }

// Present or past of any verb.
std::string finite_form(std::string_view base, std::string_view past, bool use_past, Agreement agreement) {
  return use_past ? english_past(base, past, agreement) : english_present(base, agreement);
}

Agreement subject_agreement(const Clause& clause) {
  const bool there_is = clause.verb->frame == Frame::kExistence;
  return agreement_of(there_is ? clause.direct[0] : clause.subject);
}

VerbGroup verb_group(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const Agreement agreement = subject_agreement(clause);
  const std::string_view head = english_head(verb);
  VerbGroup group;
  const auto add_main_infinitive = [&] {
    if (clause.passive) group.rest.add("be");
    group.rest.add(clause.passive ? verb.en_participle : head);
  };
  if (const Modal* modal = clause.modal) {
    group.finite = finite_form(modal->en, modal->en_past, is_past(clause), agreement);
    group.base = modal->en;
    group.is_auxiliary = !modal->needs_do;
    group.rest.add(modal->en_link);
    add_main_infinitive();
  } else if (clause.tense == Tense::kFuture) {
    group.finite = "will";
    add_main_infinitive();
  } else if (clause.passive) {
    group.finite = finite_form("be", "was", is_past(clause), agreement);
    group.rest.add(verb.en_participle);
  } else if (clause.tense == Tense::kProgressive) {
    group.finite = english_present("be", agreement);
    group.rest.add(verb.en_ing);
  } else if (clause.tense == Tense::kPerfect || clause.tense == Tense::kPluperfect) {
    group.finite = finite_form("have", "had", clause.tense == Tense::kPluperfect, agreement);
    if (clause.tense == Tense::kPerfect && !clause.negated) group.rest.add("already");
    group.rest.add(verb.en_participle);
  } else {
    group.finite = finite_form(head, verb.en_past, is_past(clause), agreement);
    group.base = head;
    group.is_auxiliary = head == "be";
  }
  return group;
}

void add_slot(Line& out, const Clause& clause, Slot slot) {
  for (const Adverbial& adverbial : clause.adverbials) {
    if (adverbial.slot == slot) english_adverbial(out, adverbial);
  }
}

void subject(Line& out, const Clause& clause) {
  if (clause.silent_subject) return;
  if (clause.verb->frame == Frame::kExistence) {
    out.add("there");
  } else {
    english_noun_phrase(out, clause.subject, false);
  }
}

void subclause(Line& out, const Subclause& sub) {
  if (sub.conjunction) out.add(sub.conjunction->en);
  english_clause(out, sub.clause, EnglishForm::kStatement);
}

void front_field(Line& out, const Clause& clause) {
  switch (clause.front) {
    case Front::kSubject:
      break;
    case Front::kTime:
      add_slot(out, clause, Slot::kTime);
      break;
    case Front::kPlace:
      add_slot(out, clause, Slot::kPlace);
      break;
    case Front::kDirect:
      english_noun_phrase(out, clause.direct[0], true);
      break;
    case Front::kIndirect:
      english_noun_phrase(out, clause.indirect[0], true);
      break;
    case Front::kQuestionWord:
      out.add(clause.question_word->en);
      break;
    case Front::kSubclause:
      subclause(out, clause.adjunct[0]);
      out.comma();
      break;
  }
}

// Subject and verb group, with "do" where a question or "not" needs it.
void subject_and_verbs(Line& out, const Clause& clause, bool is_question) {
  VerbGroup group = verb_group(clause);
  const bool inverted = is_question && !(clause.front == Front::kSubject && is_question_phrase(clause.subject));
  const bool needs_do = !group.is_auxiliary && (inverted || clause.negated);
  const bool has_auxiliary = group.is_auxiliary || needs_do;
  if (needs_do) group.finite = finite_form("do", "did", is_past(clause), subject_agreement(clause));
  if (inverted) {
    out.add(group.finite);
    subject(out, clause);
    if (clause.negated) out.add("not");
  } else {
    subject(out, clause);
    if (!has_auxiliary) add_slot(out, clause, Slot::kFrequency);
    const bool one_word = clause.negated && group.finite == "can";
    out.add(one_word ? "cannot" : group.finite);
    if (clause.negated && !one_word) out.add("not");
  }
  if (has_auxiliary) add_slot(out, clause, Slot::kFrequency);
  if (needs_do) out.add(group.base);
  out.add(group.rest.text());
}

void objects(Line& out, const Clause& clause) {
  const Verb& verb = *clause.verb;
  const bool has_direct = !clause.direct.empty() && clause.front != Front::kDirect;
  const bool has_indirect = !clause.indirect.empty() && clause.front != Front::kIndirect;
  const bool tail_last = has_direct && has_movable_tail(verb) && clause.direct[0].kind == NounPhrase::Kind::kPronoun;
  if (!tail_last) out.add(english_tail(verb));
  if (has_indirect && !verb.is(kToRecipient)) english_noun_phrase(out, clause.indirect[0], true);
  if (has_direct) english_noun_phrase(out, clause.direct[0], true);
  if (tail_last) out.add(english_tail(verb));
  if (!clause.indirect.empty() && (verb.is(kToRecipient) || clause.front == Front::kIndirect)) {
    out.add("to");
    if (has_indirect) english_noun_phrase(out, clause.indirect[0], true);
  }
  for (const NounPhrase& instead : clause.instead) {
    out.add("but");
    english_noun_phrase(out, instead, true);
  }
}

void predicate(Line& out, const Predicate& predicate) {
  if (predicate.years > 0) {
    out.add(english_number(predicate.years));
    out.add("years old");
  }
  for (const NounPhrase& noun : predicate.noun) english_noun_phrase(out, noun, false);
  if (predicate.adjective) {
    if (predicate.very) out.add("very");
    if (predicate.degree == Degree::kEqual) out.add("as");
    const bool comparative = predicate.degree == Degree::kComparative;
    out.add(comparative ? predicate.adjective->en_comparative : predicate.adjective->en);
    if (predicate.degree != Degree::kPositive) out.add(comparative ? "than" : "as");
  }
  for (const NounPhrase& standard : predicate.standard) english_noun_phrase(out, standard, true);
  if (!predicate.adjective) return;
  for (const NounPhrase& complement : predicate.complement) {
    out.add(predicate.adjective->en_preposition);
    english_noun_phrase(out, complement, true);
  }
}

void infinitive(Line& out, const InfinitiveClause& infinitive, const Verb& governor) {
  using Kind = InfinitiveClause::Kind;
  if (infinitive.kind == Kind::kPurpose) out.add("in order");
  if (infinitive.kind == Kind::kWithout) out.add("without");
  const bool gerund =
      infinitive.kind == Kind::kWithout || (infinitive.kind == Kind::kPlain && governor.is(kTakesGerund));
  english_clause(out, infinitive.clause, gerund ? EnglishForm::kGerund : EnglishForm::kToInfinitive);
}

}  // namespace

void english_clause(Line& out, const Clause& clause, EnglishForm form) {
  switch (form) {
    case EnglishForm::kStatement:
    case EnglishForm::kQuestion:
      front_field(out, clause);
      subject_and_verbs(out, clause, form == EnglishForm::kQuestion);
      break;
    case EnglishForm::kBareInfinitive:
    case EnglishForm::kToInfinitive:
      if (form == EnglishForm::kToInfinitive) out.add(clause.negated ? "not to" : "to");
      out.add(english_head(*clause.verb));
      break;
    case EnglishForm::kGerund:
      out.add(clause.verb->en_ing);
      break;
  }
  objects(out, clause);
  predicate(out, clause.predicate);
  for (const Slot slot : {Slot::kManner, Slot::kGoal, Slot::kMeans, Slot::kBenefit}) {
    add_slot(out, clause, slot);
  }
  if (clause.front != Front::kPlace) add_slot(out, clause, Slot::kPlace);
  add_slot(out, clause, Slot::kCompanion);
  if (clause.front != Front::kTime) add_slot(out, clause, Slot::kTime);
  if (clause.tense == Tense::kPerfect && clause.negated) out.add("yet");
  for (const InfinitiveClause& part : clause.infinitive) infinitive(out, part, *clause.verb);
  for (const Subclause& sub : clause.content) subclause(out, sub);
  if (clause.front == Front::kSubclause) return;
  for (const Subclause& sub : clause.adjunct) {
    if (sub.conjunction->en_comma) out.comma();
    subclause(out, sub);
  }
}

std::string english_sentence(const Sentence& sentence) {
  Line out;
  using Kind = Sentence::Kind;
  switch (sentence.kind) {
    case Kind::kStatement:
      english_clause(out, sentence.clause, EnglishForm::kStatement);
      break;
    case Kind::kQuestion:
      english_clause(out, sentence.clause, EnglishForm::kQuestion);
      break;
    case Kind::kProposal:
    case Kind::kCommand:
    case Kind::kPleaseCommand:
      if (sentence.kind == Kind::kPleaseCommand) out.add("please");
      if (sentence.clause.negated) out.add("do not");
      if (sentence.kind == Kind::kProposal) out.add("let us");
      english_clause(out, sentence.clause, EnglishForm::kBareInfinitive);
      break;
  }
  for (const Clause& second : sentence.second) {
    if (!second.silent_subject) out.comma();
    out.add(sentence.connector->en);
    english_clause(out, second, EnglishForm::kStatement);
  }
  return out.finish(sentence.kind == Kind::kStatement ? '.' : sentence.kind == Kind::kQuestion ? '?' : '!');
}

}  // namespace verbund::demo
