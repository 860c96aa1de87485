// SPDX-License-Identifier: Apache-2.0
// OngoingTranslation translates lines while further ones join: a line that comes need not wait for those under way, and
// leaves as soon as it is done. Each is translated as Translator::translate does it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decode/translator.h"

namespace verbund {

class OngoingTranslation {
 public:
  virtual ~OngoingTranslation() = default;

  // False while those under way take up what decode.batch_tokens allows.
  virtual bool has_room() const = 0;
  // The line joins with the next step. Returns its number: 0, 1, 2 ... Fails for a line that cannot be translated.
  virtual size_t add(const std::string& text, const TranslationNeeds& needs) = 0;

  struct Done {
    size_t number;
    std::vector<Translation> translations;
  };
  // One token more for every line. Returns those that are done. After a failure the translation cannot go on.
  virtual std::vector<Done> step() = 0;
};

// The translator's models are used by nothing else meanwhile. Its nbest and align do not count.
std::unique_ptr<OngoingTranslation> begin_translation(Translator translator);

}  // namespace verbund
