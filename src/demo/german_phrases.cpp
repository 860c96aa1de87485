// German noun phrases, and prepositional phrases with their contractions.
#include <array>

#include "demo/german.h"

namespace verbund::demo {
namespace {

// In the order of Pronoun; "it" takes the gender of what it stands for.
using Forms = std::array<std::string_view, 7>;
constexpr Forms kNominative = {"ich", "du", "er", "sie", "es", "wir", "sie"};
constexpr Forms kAccusative = {"mich", "dich", "ihn", "sie", "es", "uns", "sie"};
constexpr Forms kDative = {"mir", "dir", "ihm", "ihr", "ihm", "uns", "ihnen"};
constexpr Forms kPossessives = {"mein", "dein", "sein", "ihr", "sein", "unser", "ihr"};

std::string_view form_of(const Forms& forms, Pronoun pronoun, Gender gender) {
  if (pronoun == Pronoun::kIt && gender == Gender::kMasculine) pronoun = Pronoun::kHe;
  if (pronoun == Pronoun::kIt && gender == Gender::kFeminine) pronoun = Pronoun::kShe;
  return forms[static_cast<size_t>(pronoun)];
}

std::string_view pronoun_form(Pronoun pronoun, Gender gender, Case grammatical_case) {
  const Forms& forms = grammatical_case == Case::kNominative   ? kNominative
                       : grammatical_case == Case::kAccusative ? kAccusative
                                                               : kDative;
  return form_of(forms, pronoun, gender);
}

std::string join(std::string_view a, std::string_view b) { return std::string(a).append(b); }

struct GermanDeterminer {
  std::string text;
  Declension declension;  // of the adjectives behind it
};

GermanDeterminer determiner(const NounPhrase& phrase, Inflection inflection) {
  const auto der_word = [&](std::string_view stem, Declension declension) {
    return GermanDeterminer{join(stem, der_word_ending(inflection)), declension};
  };
  const auto ein_word = [&](std::string_view stem) {
    return GermanDeterminer{join(stem, ein_word_ending(inflection)), Declension::kMixed};
  };
  switch (phrase.determiner) {
    case Determiner::kBare:
      return {"", Declension::kStrong};
    case Determiner::kDefinite:
      return {std::string(definite_article(inflection)), Declension::kWeak};
    case Determiner::kIndefinite:
      return phrase.plural ? GermanDeterminer{"", Declension::kStrong} : ein_word("ein");
    case Determiner::kNo:
      return ein_word("kein");
    case Determiner::kThis:
      return der_word("dies", Declension::kWeak);
    case Determiner::kEvery:
      return der_word("jed", Declension::kWeak);
    case Determiner::kAll:
      return der_word("all", Declension::kWeak);
    case Determiner::kBoth:
      return der_word("beid", Declension::kWeak);
    case Determiner::kMany:
      return der_word("viel", Declension::kStrong);
    case Determiner::kSome:
      return der_word("einig", Declension::kStrong);
    case Determiner::kWhich:
      return der_word("welch", Declension::kWeak);
    case Determiner::kHowMany:
      return der_word("wie viel", Declension::kStrong);
    case Determiner::kCount:
      return {german_number(phrase.count), Declension::kStrong};
    case Determiner::kPossessive:
      return ein_word(form_of(kPossessives, phrase.pronoun, phrase.gender));
    case Determiner::kOfName:
      return {join(phrase.name->text, "s"), Declension::kStrong};
    case Determiner::kWhose:  // agrees with the owner, in the genitive
      return {std::string(relative_pronoun({Case::kGenitive, phrase.gender, phrase.plural_owner})),
              Declension::kStrong};
  }
  return {};
}

// Adjectives and noun, behind a determiner that has been said.
void noun_group(Line& out, const NounPhrase& phrase, Declension declension, Inflection inflection) {
  const std::string_view ending = adjective_ending(declension, inflection);
  if (phrase.very) out.add("sehr");
  if (phrase.adjective) {
    out.add(join(phrase.superlative ? phrase.adjective->de_superlative : phrase.adjective->de_stem, ending));
  }
  if (phrase.colour) out.add(join(phrase.colour->de_stem, ending));
  out.add(german_noun(*phrase.noun, inflection.grammatical_case, inflection.plural));
}

Inflection inflection_of(const NounPhrase& phrase, Case grammatical_case) {
  return {grammatical_case, grammatical_gender(phrase), phrase.plural};
}

void additions(Line& out, const NounPhrase& phrase, Case grammatical_case, RelativeClause where) {
  for (const NounPhrase& genitive : phrase.genitive) german_noun_phrase(out, genitive, Case::kGenitive);
  for (const NounPhrase& partner : phrase.partner) {
    out.add("und");
    german_noun_phrase(out, partner, grammatical_case);
  }
  if (where == RelativeClause::kLater) return;
  for (const Clause& relative : phrase.relative) {
    out.comma();
    german_clause(out, relative, GermanOrder::kVerbLast);
    out.comma();
  }
}

std::string_view who(Case grammatical_case) {
  switch (grammatical_case) {
    case Case::kNominative:
      return "wer";
    case Case::kAccusative:
      return "wen";
    case Case::kDative:
      return "wem";
    case Case::kGenitive:
      return "wessen";
  }
  return {};
}

// "im" for "in dem", or nothing.
std::string_view contraction(std::string_view preposition, std::string_view article) {
  static constexpr std::array<std::array<std::string_view, 3>, 7> kContractions = {{{"in", "dem", "im"},
                                                                                    {"in", "das", "ins"},
                                                                                    {"an", "dem", "am"},
                                                                                    {"zu", "dem", "zum"},
                                                                                    {"zu", "der", "zur"},
                                                                                    {"bei", "dem", "beim"},
                                                                                    {"von", "dem", "vom"}}};
  for (const auto& [first, second, both] : kContractions) {
    if (first == preposition && second == article) return both;
  }
  return {};
}

}  // namespace

void german_noun_phrase(Line& out, const NounPhrase& phrase, Case grammatical_case, RelativeClause relative) {
  const Inflection inflection = inflection_of(phrase, grammatical_case);
  switch (phrase.kind) {
    case NounPhrase::Kind::kNoun: {
      const GermanDeterminer first = determiner(phrase, inflection);
      out.add(first.text);
      noun_group(out, phrase, first.declension, inflection);
      break;
    }
    case NounPhrase::Kind::kName:
      out.add(phrase.name->text);
      break;
    case NounPhrase::Kind::kPronoun:
      out.add(pronoun_form(phrase.pronoun, phrase.gender, grammatical_case));
      break;
    case NounPhrase::Kind::kWho:
      out.add(who(grammatical_case));
      break;
    case NounPhrase::Kind::kWhat:
      out.add("was");
      break;
    case NounPhrase::Kind::kRelative:
      out.add(relative_pronoun(inflection));
      break;
  }
  additions(out, phrase, grammatical_case, relative);
}

void german_prepositional_phrase(Line& out, std::string_view preposition, const NounPhrase& phrase,
                                 Case grammatical_case, RelativeClause relative) {
  const Inflection inflection = inflection_of(phrase, grammatical_case);
  // "in dem Haus, in dem sie wohnt": a noun that a relative clause singles out keeps its article.
  const bool may_contract = phrase.kind == NounPhrase::Kind::kNoun && !phrase.plural &&
                            phrase.determiner == Determiner::kDefinite && phrase.relative.empty();
  const std::string_view contracted =
      may_contract ? contraction(preposition, definite_article(inflection)) : std::string_view();
  if (contracted.empty()) {
    out.add(preposition);
    german_noun_phrase(out, phrase, grammatical_case, relative);
  } else {
    out.add(contracted);
    noun_group(out, phrase, Declension::kWeak, inflection);
    additions(out, phrase, grammatical_case, relative);
  }
}

void german_adverbial(Line& out, const Adverbial& adverbial) {
  if (adverbial.phrase.empty()) {
    out.add(adverbial.de);
  } else {
    german_prepositional_phrase(out, adverbial.de, adverbial.phrase[0], adverbial.phrase_case);
  }
}

std::string_view reflexive_pronoun(Agreement agreement, Case grammatical_case) {
  if (agreement.person == 3) return "sich";
  if (agreement.plural) return "uns";
  return pronoun_form(agreement.person == 1 ? Pronoun::kI : Pronoun::kYou, Gender::kNeuter, grammatical_case);
}

}  // namespace verbund::demo
