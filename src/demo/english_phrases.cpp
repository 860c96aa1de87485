// English noun phrases and adverbials.
#include <array>

#include "demo/english.h"

namespace verbund::demo {
namespace {

// In the order of Pronoun.
constexpr std::array<std::string_view, 7> kSubjectForms = {"I", "you", "he", "she", "it", "we", "they"};
constexpr std::array<std::string_view, 7> kObjectForms = {"me", "you", "him", "her", "it", "us", "them"};
constexpr std::array<std::string_view, 7> kPossessives = {"my", "your", "his", "her", "its", "our", "their"};

std::string determiner(const NounPhrase& phrase, std::string_view next_word) {
  switch (phrase.determiner) {
    case Determiner::kBare:
      return "";
    case Determiner::kDefinite:
      return "the";
    case Determiner::kIndefinite:
      return phrase.plural ? "" : std::string(indefinite_article(next_word));
    case Determiner::kNo:
      return "no";
    case Determiner::kThis:
      return phrase.plural ? "these" : "this";
    case Determiner::kEvery:
      return "every";
    case Determiner::kAll:
      return "all";
    case Determiner::kBoth:
      return "both";
    case Determiner::kMany:
      return "many";
    case Determiner::kSome:
      return "some";
    case Determiner::kWhich:
      return "which";
    case Determiner::kHowMany:
      return "how many";
    case Determiner::kCount:
      return english_number(phrase.count);
    case Determiner::kPossessive:
      return std::string(kPossessives[static_cast<size_t>(phrase.pronoun)]);
    case Determiner::kOfName:
      return std::string(phrase.name->text).append("'s");
    case Determiner::kWhose:
      return "whose";
  }
  return "";
}

void common_noun(Line& out, const NounPhrase& phrase) {
  Line rest;
  if (phrase.very) rest.add("very");
  if (phrase.adjective) {
    rest.add(phrase.superlative ? phrase.adjective->en_superlative : phrase.adjective->en);
  }
  if (phrase.colour) rest.add(phrase.colour->en);
  rest.add(phrase.plural ? phrase.noun->en_plural : phrase.noun->en);
  out.add(determiner(phrase, rest.text()));
  out.add(rest.text());
}

}  // namespace

void english_noun_phrase(Line& out, const NounPhrase& phrase, bool is_object) {
  switch (phrase.kind) {
    case NounPhrase::Kind::kNoun:
      common_noun(out, phrase);
      break;
    case NounPhrase::Kind::kName:
      out.add(phrase.name->text);
      break;
    case NounPhrase::Kind::kPronoun:
      out.add((is_object ? kObjectForms : kSubjectForms)[static_cast<size_t>(phrase.pronoun)]);
      break;
    case NounPhrase::Kind::kWho:
      out.add("who");
      break;
    case NounPhrase::Kind::kWhat:
      out.add("what");
      break;
    case NounPhrase::Kind::kRelative:
      out.add(!(phrase.referent & kPerson) ? "that" : is_object ? "whom" : "who");
      break;
  }
  for (const NounPhrase& genitive : phrase.genitive) {
    out.add("of");
    english_noun_phrase(out, genitive, true);
  }
  for (const NounPhrase& partner : phrase.partner) {
    out.add("and");
    english_noun_phrase(out, partner, is_object);
  }
  for (const Clause& relative : phrase.relative) english_clause(out, relative, EnglishForm::kStatement);
}

void english_adverbial(Line& out, const Adverbial& adverbial) {
  out.add(adverbial.en);
  for (const NounPhrase& phrase : adverbial.phrase) {
    const bool is_which = phrase.kind == NounPhrase::Kind::kRelative;  // "the house in which"
    if (is_which) {
      out.add("which");
    } else {
      english_noun_phrase(out, phrase, true);
    }
  }
}

}  // namespace verbund::demo
