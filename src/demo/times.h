// Adverbials of time and frequency for the demo corpus: "last week", "at half past seven",
// "three days ago", "in 1987", "after the concert", "often".
#pragma once

#include "demo/dice.h"
#include "demo/syntax.h"

namespace verbund::demo {

// When something is the case; decides tense and adverbials together.
enum class Period : uint8_t { kHabit, kNow, kPast, kFuture };

Adverbial time_adverbial(Dice& dice, Period period);
Adverbial day(Dice& dice, Period period);  // "yesterday", "every Sunday"
Adverbial clock_time(Dice& dice);
Adverbial frequency_adverb(Dice& dice, bool may_be_never = true);

}  // namespace verbund::demo
