// SPDX-License-Identifier: Apache-2.0
// Hints translate the keys and flags of other systems into those of Verbund. A mistyped key resembles the right one in
// spelling; a key of another system resembles it in meaning.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace verbund {

struct Hint {
  const char* word;    // in lower case, with _ between its parts
  const char* key;     // its name here, "section.key" or "--flag"; "" if there is only advice
  const char* advice;  // a sentence about a different value or place; may be ""

  bool is_flag() const { return *key == '-'; }
  bool is_key() const { return *key != '-' && *key != '\0'; }
};

std::span<const Hint> config_hints();

// The last part of a key or flag, as the table spells it: "mini_batch" for "--Mini-Batch" and "train.mini-batch".
std::string plain_word(std::string_view word);

// The hint for a key or flag in any spelling: "mini_batch", "train.mini-batch", "--mini-batch". Null if there is none.
const Hint* find_hint(std::span<const Hint> hints, std::string_view word);

// "did you mean train.eval_every?", and the advice.
std::string describe(const Hint& hint);

}  // namespace verbund
