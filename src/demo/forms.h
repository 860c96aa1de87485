// Inflection of the demo corpus: German endings by case, gender, number and declension,
// verb forms of both languages from the principal parts in the lexicon.
#pragma once

#include <string>
#include <string_view>

#include "demo/lexicon.h"

namespace verbund::demo {

// What a finite verb agrees with.
struct Agreement {
  int person = 3;
  bool plural = false;

  bool third_singular() const { return person == 3 && !plural; }
};

// German nominal forms. In the plural the gender plays no part.
struct Inflection {
  Case grammatical_case;
  Gender gender;
  bool plural;
};

enum class Declension : uint8_t { kStrong, kWeak, kMixed };

std::string_view definite_article(Inflection inflection);  // der, den, dem, des, ...
std::string_view der_word_ending(Inflection inflection);   // dies-er, jed-em
std::string_view ein_word_ending(Inflection inflection);   // ein, mein-e, kein-em
std::string_view adjective_ending(Declension declension, Inflection inflection);
std::string_view relative_pronoun(Inflection inflection);  // der, denen, dessen, ...
std::string german_noun(const Noun& noun, Case grammatical_case, bool plural);

// "auf|stehen" taken apart; a reflexive "sich" is cut off.
std::string_view german_prefix(const Verb& verb);      // "auf", "Klavier " or ""
std::string_view german_infinitive(const Verb& verb);  // "stehen"
bool is_reflexive(const Verb& verb);
std::string whole_infinitive(const Verb& verb);  // "aufstehen", "Klavier spielen"
std::string zu_infinitive(const Verb& verb);     // "aufzustehen", "zu lesen"

// From the infinitive (without prefix) and the form of "er".
std::string german_present(std::string_view infinitive, std::string_view er, Agreement agreement);
std::string german_preterite(std::string_view er, Agreement agreement);

// "pick|up" taken apart.
std::string_view english_head(const Verb& verb);  // "pick"
std::string_view english_tail(const Verb& verb);  // "up" or ""
bool has_movable_tail(const Verb& verb);          // picks him up, but: waits for him
std::string english_present(std::string_view base, Agreement agreement);
std::string english_past(std::string_view base, std::string_view past, Agreement agreement);
std::string_view indefinite_article(std::string_view next_word);  // a, an

// Two to twelve as words, everything else as digits.
std::string english_number(int number);
std::string german_number(int number);

}  // namespace verbund::demo
