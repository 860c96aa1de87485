// English words for the phrases of the demo corpus. Whole sentences: english_sentence.
#pragma once

#include "demo/line.h"
#include "demo/syntax.h"

namespace verbund::demo {

enum class EnglishForm : uint8_t { kStatement, kQuestion, kBareInfinitive, kToInfinitive, kGerund };

void english_noun_phrase(Line& out, const NounPhrase& phrase, bool is_object);
void english_adverbial(Line& out, const Adverbial& adverbial);
void english_clause(Line& out, const Clause& clause, EnglishForm form);

}  // namespace verbund::demo
