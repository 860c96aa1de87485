// German verb groups: which form is finite, and what stands at the end of the clause.
#include "demo/german.h"

namespace verbund::demo {

GermanVerbs german_verbs(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const Agreement agreement = agreement_of(clause.subject);
  const bool past = clause.tense == Tense::kPast || clause.tense == Tense::kNarrative;
  const std::string infinitive =
      clause.passive ? std::string(verb.de_participle).append(" werden") : whole_infinitive(verb);
  const Modal* modal = clause.modal;
  if (modal && !modal->is_gern()) {
    return {past ? german_preterite(modal->de_preterite, agreement)
                 : german_present(modal->de, modal->de_present, agreement),
            "", infinitive};
  }
  if (clause.tense == Tense::kFuture) return {german_present("werden", "wird", agreement), "", infinitive};
  if (clause.passive) {
    return {past ? german_preterite("wurde", agreement) : german_present("werden", "wird", agreement), "",
            verb.de_participle};
  }
  const bool simple_past = clause.tense == Tense::kNarrative || (past && verb.is(kSimplePast));
  if (simple_past) {
    return {german_preterite(verb.de_preterite, agreement), std::string(german_prefix(verb)), ""};
  }
  const bool present = clause.tense == Tense::kPresent || clause.tense == Tense::kProgressive;
  if (present) {
    return {german_present(german_infinitive(verb), verb.de_present, agreement), std::string(german_prefix(verb)), ""};
  }
  const bool sein = verb.is(kSein);
  const std::string auxiliary = clause.tense == Tense::kPluperfect
                                    ? german_preterite(sein ? "war" : "hatte", agreement)
                                    : german_present(sein ? "sein" : "haben", sein ? "ist" : "hat", agreement);
  return {auxiliary, "", verb.de_participle};
}

}  // namespace verbund::demo
