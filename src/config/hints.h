// What the words of other systems are called here. A mistyped key is near its right one by letters; a word that is
// known from elsewhere is near it by meaning.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace verbund {

struct Hint {
  const char* word;    // in lower case, with _ between its parts
  const char* key;     // what it is here, "section.key"; "" if no key, but what the advice says
  const char* advice;  // a sentence where the value is another, or where it goes; ""
};

std::span<const Hint> config_hints();

// The hint for a key or flag, however it is spelled: "mini_batch", "train.mini-batch", "--mini-batch". Or null.
const Hint* find_hint(std::span<const Hint> hints, std::string_view word);

// "did you mean train.eval_every?", and the advice.
std::string describe(const Hint& hint);

}  // namespace verbund
