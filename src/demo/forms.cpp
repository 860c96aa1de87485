#include "demo/forms.h"

#include <array>

namespace verbund::demo {
namespace {

// Rows: nominative, accusative, dative, genitive. Columns: masculine, feminine, neuter, plural.
using Endings = std::array<std::array<std::string_view, 4>, 4>;

constexpr Endings kArticle = {{{"der", "die", "das", "die"},
                               {"den", "die", "das", "die"},
                               {"dem", "der", "dem", "den"},
                               {"des", "der", "des", "der"}}};
constexpr Endings kRelative = {{{"der", "die", "das", "die"},
                                {"den", "die", "das", "die"},
                                {"dem", "der", "dem", "denen"},
                                {"dessen", "deren", "dessen", "deren"}}};
constexpr Endings kDerWord = {
    {{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};
constexpr Endings kEinWord = {
    {{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};
constexpr Endings kStrong = {
    {{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}, {"en", "er", "en", "er"}}};
constexpr Endings kWeak = {
    {{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kMixed = {
    {{"er", "e", "es", "en"}, {"en", "e", "es", "en"}, {"en", "en", "en", "en"}, {"en", "en", "en", "en"}}};

std::string_view look_up(const Endings& endings, Inflection inflection) {
  const size_t column = inflection.plural ? 3 : static_cast<size_t>(inflection.gender);
  return endings[static_cast<size_t>(inflection.grammatical_case)][column];
}

constexpr std::string_view kSich = "sich ";

// After these sounds "du" takes -t, as "er" does: du liest, du tanzt, du weißt.
bool ends_in_sibilant(std::string_view stem) {
  return stem.ends_with("s") || stem.ends_with("ß") || stem.ends_with("z") || stem.ends_with("x");
}

std::string join(std::string_view a, std::string_view b) { return std::string(a).append(b); }

}  // namespace

std::string_view definite_article(Inflection inflection) { return look_up(kArticle, inflection); }
std::string_view der_word_ending(Inflection inflection) { return look_up(kDerWord, inflection); }
std::string_view ein_word_ending(Inflection inflection) { return look_up(kEinWord, inflection); }
std::string_view relative_pronoun(Inflection inflection) { return look_up(kRelative, inflection); }

std::string_view adjective_ending(Declension declension, Inflection inflection) {
  switch (declension) {
    case Declension::kStrong:
      return look_up(kStrong, inflection);
    case Declension::kWeak:
      return look_up(kWeak, inflection);
    case Declension::kMixed:
      return look_up(kMixed, inflection);
  }
  return {};
}

std::string german_noun(const Noun& noun, Case grammatical_case, bool plural) {
  if (plural) {
    const std::string_view form = noun.de_plural;
    const bool adds_n =
        grammatical_case == Case::kDative && (form.ends_with('e') || form.ends_with('l') || form.ends_with('r'));
    return join(form, adds_n ? "n" : "");
  }
  if (noun.is_weak()) return join(noun.de, grammatical_case == Case::kNominative ? "" : noun.ending);
  return join(noun.de, grammatical_case == Case::kGenitive ? noun.ending : "");
}

bool is_reflexive(const Verb& verb) { return std::string_view(verb.de).starts_with(kSich); }

std::string_view german_prefix(const Verb& verb) {
  std::string_view text = verb.de;
  if (is_reflexive(verb)) text.remove_prefix(kSich.size());
  const size_t bar = text.find('|');
  return bar == text.npos ? std::string_view() : text.substr(0, bar);
}

std::string_view german_infinitive(const Verb& verb) {
  std::string_view text = verb.de;
  if (is_reflexive(verb)) text.remove_prefix(kSich.size());
  return text.substr(text.find('|') + 1);  // npos + 1 == 0
}

std::string whole_infinitive(const Verb& verb) { return join(german_prefix(verb), german_infinitive(verb)); }

std::string zu_infinitive(const Verb& verb) {
  const std::string_view prefix = german_prefix(verb);
  const bool one_word = !prefix.empty() && !prefix.ends_with(' ');
  return join(prefix, one_word ? "zu" : "zu ").append(german_infinitive(verb));
}

std::string german_present(std::string_view infinitive, std::string_view er, Agreement agreement) {
  if (infinitive == "sein") {
    if (agreement.plural) return "sind";
    return agreement.person == 1 ? "bin" : agreement.person == 2 ? "bist" : "ist";
  }
  if (agreement.plural) {
    return er.ends_with("möchte") || er.ends_with("sollte") ? join(er, "n") : std::string(infinitive);
  }
  if (agreement.third_singular()) return std::string(er);
  const bool like_modal = !er.ends_with('t') && infinitive != "werden";  // kann, weiß, möchte
  if (agreement.person == 1) {
    if (like_modal) return std::string(er);
    if (infinitive.ends_with("eln")) return join(infinitive.substr(0, infinitive.size() - 3), "le");
    const size_t ending = infinitive.ends_with("en") ? 2 : 1;
    return join(infinitive.substr(0, infinitive.size() - ending), "e");
  }
  if (infinitive == "werden") return "wirst";
  const std::string_view stem = like_modal ? er : er.substr(0, er.size() - 1);
  return join(stem, ends_in_sibilant(stem) ? "t" : "st");
}

std::string german_preterite(std::string_view er, Agreement agreement) {
  const bool weak = er.ends_with('e');  // machte, konnte
  if (agreement.plural) return join(er, weak ? "n" : "en");
  if (agreement.person != 2) return std::string(er);
  const bool needs_e = !weak && (er.ends_with('t') || er.ends_with('d') || ends_in_sibilant(er));
  return join(er, needs_e ? "est" : "st");
}

std::string_view english_head(const Verb& verb) {
  const std::string_view text = verb.en;
  return text.substr(0, text.find_first_of(" |"));
}

std::string_view english_tail(const Verb& verb) {
  const std::string_view text = verb.en;
  const size_t split = text.find_first_of(" |");
  return split == text.npos ? std::string_view() : text.substr(split + 1);
}

bool has_movable_tail(const Verb& verb) { return std::string_view(verb.en).find('|') != std::string_view::npos; }

std::string english_present(std::string_view base, Agreement agreement) {
  if (base == "be") {
    if (agreement.plural || agreement.person == 2) return "are";
    return agreement.person == 1 ? "am" : "is";
  }
  if (!agreement.third_singular() || base == "can" || base == "should" || base == "would" || base == "will") {
    return std::string(base);
  }
  if (base == "have") return "has";
  const bool hisses =
      base.ends_with('s') || base.ends_with('x') || base.ends_with("ch") || base.ends_with("sh") || base.ends_with('o');
  if (hisses) return join(base, "es");
  const bool turns =
      base.ends_with('y') && std::string_view("aeou").find(base[base.size() - 2]) == std::string_view::npos;
  return turns ? join(base.substr(0, base.size() - 1), "ies") : join(base, "s");
}

std::string english_past(std::string_view base, std::string_view past, Agreement agreement) {
  if (base == "be") return agreement.plural || agreement.person == 2 ? "were" : "was";
  return std::string(past);
}

std::string_view indefinite_article(std::string_view next_word) {
  if (next_word.starts_with("honest")) return "an";
  if (next_word.starts_with("uni")) return "a";  // university
  return std::string_view("aeiou").find(next_word[0]) == std::string_view::npos ? "a" : "an";
}

std::string english_number(int number) {
  static constexpr std::string_view kWords[] = {"two",   "three", "four", "five",   "six",   "seven",
                                                "eight", "nine",  "ten",  "eleven", "twelve"};
  return number >= 2 && number <= 12 ? std::string(kWords[number - 2]) : std::to_string(number);
}

std::string german_number(int number) {
  static constexpr std::string_view kWords[] = {"zwei", "drei", "vier", "fünf", "sechs", "sieben",
                                                "acht", "neun", "zehn", "elf",  "zwölf"};
  return number >= 2 && number <= 12 ? std::string(kWords[number - 2]) : std::to_string(number);
}

}  // namespace verbund::demo
