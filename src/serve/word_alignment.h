// SPDX-License-Identifier: Apache-2.0
// A word alignment tells which source word each word of a translation comes from, by the alignment of their pieces.
#pragma once

#include <string>
#include <vector>

#include "decode/translator.h"

namespace verbund {

std::vector<std::string> words_of(const std::string& text);  // at blanks

// For each word of the translation its source word, or -1 if none is known. Where pieces and words do not correspond,
// as in languages without blanks, words at the same share of both sentences belong together.
std::vector<int> align_words(const std::vector<std::string>& source_pieces, int source_words,
                             const Translation& translation);

}  // namespace verbund
