// German clauses by topological fields: front field, finite verb, middle field, the other
// verb forms, end field.
#include "demo/german.h"

namespace verbund::demo {
namespace {

void subclause(Line& out, const Subclause& sub) {
  out.comma();
  if (sub.conjunction) out.add(sub.conjunction->de);
  german_clause(out, sub.clause, GermanOrder::kVerbLast);
  out.comma();
}

void end_field(Line& out, const Clause& clause) {
  for (const NounPhrase& standard : clause.predicate.standard) {
    out.add(clause.predicate.degree == Degree::kComparative ? "als" : "wie");
    german_noun_phrase(out, standard, Case::kNominative);
  }
  for (const NounPhrase& direct : clause.direct) {
    for (const Clause& relative : direct.relative) subclause(out, {nullptr, relative});
  }
  for (const NounPhrase& instead : clause.instead) {
    out.comma();
    out.add("sondern");
    german_noun_phrase(out, instead, object_case(*clause.verb));
  }
  for (const InfinitiveClause& infinitive : clause.infinitive) {
    out.comma();
    if (infinitive.kind == InfinitiveClause::Kind::kPurpose) out.add("um");
    if (infinitive.kind == InfinitiveClause::Kind::kWithout) out.add("ohne");
    german_clause(out, infinitive.clause, GermanOrder::kZuInfinitive);
    out.comma();
  }
  for (const Subclause& content : clause.content) subclause(out, content);
  if (clause.front == Front::kSubclause) return;
  for (const Subclause& adjunct : clause.adjunct) subclause(out, adjunct);
}

// Whatever comes first, other than the subject.
void front_field(Line& out, const Clause& clause) {
  switch (clause.front) {
    case Front::kSubject:
      break;
    case Front::kTime:
      german_slot(out, clause, Slot::kTime);
      break;
    case Front::kPlace:
      german_slot(out, clause, Slot::kPlace);
      break;
    case Front::kDirect:
      german_direct_object(out, clause);
      break;
    case Front::kIndirect:
      german_noun_phrase(out, clause.indirect[0], Case::kDative);
      break;
    case Front::kQuestionWord:
      out.add(clause.question_word->de);
      break;
    case Front::kSubclause:
      subclause(out, clause.adjunct[0]);
      break;
  }
}

}  // namespace

void german_clause(Line& out, const Clause& clause, GermanOrder order) {
  const GermanVerbs verbs = german_verbs(clause);
  const bool subject_leads = order == GermanOrder::kVerbSecond && clause.front == Front::kSubject;
  if (order == GermanOrder::kVerbSecond || order == GermanOrder::kVerbLast) front_field(out, clause);
  if (subject_leads) german_noun_phrase(out, clause.subject, Case::kNominative);
  if (order == GermanOrder::kVerbSecond || order == GermanOrder::kVerbFirst) out.add(verbs.finite);
  if (order == GermanOrder::kCommand) out.add(clause.verb->de_imperative);

  const bool has_subject =
      order == GermanOrder::kVerbSecond || order == GermanOrder::kVerbFirst || order == GermanOrder::kVerbLast;
  german_middle_field(out, clause, has_subject && !subject_leads && !clause.silent_subject);

  switch (order) {
    case GermanOrder::kVerbSecond:
    case GermanOrder::kVerbFirst:
    case GermanOrder::kVerbShared:
      out.add(verbs.rest);
      out.add(verbs.prefix);
      break;
    case GermanOrder::kVerbLast:
      out.add(verbs.rest);
      out.add(verbs.prefix + verbs.finite);
      break;
    case GermanOrder::kCommand:
      out.add(german_prefix(*clause.verb));
      break;
    case GermanOrder::kZuInfinitive:
      out.add(zu_infinitive(*clause.verb));
      break;
    case GermanOrder::kBareInfinitive:
      out.add(whole_infinitive(*clause.verb));
      break;
  }
  end_field(out, clause);
}

std::string german_sentence(const Sentence& sentence) {
  Line out;
  switch (sentence.kind) {
    case Sentence::Kind::kStatement:
      german_clause(out, sentence.clause, GermanOrder::kVerbSecond);
      break;
    case Sentence::Kind::kQuestion: {
      const bool yes_or_no = sentence.clause.front == Front::kSubject && !is_question_phrase(sentence.clause.subject);
      german_clause(out, sentence.clause, yes_or_no ? GermanOrder::kVerbFirst : GermanOrder::kVerbSecond);
      break;
    }
    case Sentence::Kind::kPleaseCommand:
    case Sentence::Kind::kCommand:
      if (sentence.kind == Sentence::Kind::kPleaseCommand) out.add("bitte");
      german_clause(out, sentence.clause, GermanOrder::kCommand);
      break;
    case Sentence::Kind::kProposal:
      out.add("lass uns");
      german_clause(out, sentence.clause, GermanOrder::kBareInfinitive);
      break;
  }
  for (const Clause& second : sentence.second) {
    if (sentence.connector != &kAnd) out.comma();
    out.add(sentence.connector->de);
    const bool verb_next = second.silent_subject || sentence.connector == &kSo;
    const GermanVerbs first_verbs = german_verbs(sentence.clause), second_verbs = german_verbs(second);
    // "hat geweint und getanzt", but "hat geweint und ist gegangen".
    const bool shares_verb =
        second.silent_subject && !second_verbs.rest.empty() && first_verbs.finite == second_verbs.finite;
    german_clause(out, second,
                  shares_verb ? GermanOrder::kVerbShared
                  : verb_next ? GermanOrder::kVerbFirst
                              : GermanOrder::kVerbSecond);
  }
  const bool statement = sentence.kind == Sentence::Kind::kStatement;
  return out.finish(statement ? '.' : sentence.kind == Sentence::Kind::kQuestion ? '?' : '!');
}

}  // namespace verbund::demo
