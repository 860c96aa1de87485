// SPDX-License-Identifier: Apache-2.0
#include "score/segments.h"

#include <unicode/ucasemap.h>

#include "core/error.h"
#include "core/utf8.h"

namespace verbund {
namespace {

std::string lower_case_ascii(std::string_view text) {
  std::string lowered(text);
  for (char& byte : lowered) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return lowered;
}

const UCaseMap* root_case_map() {
  static const UCaseMap* const case_map = [] {
    UErrorCode status = U_ZERO_ERROR;
    const UCaseMap* opened = ucasemap_open("", 0, &status);
    if (U_FAILURE(status)) fail("ICU cannot lower-case text: {}", u_errorName(status));
    return opened;
  }();
  return case_map;
}

}  // namespace

void check_parallel(const Segments& hypotheses, const References& references) {
  if (hypotheses.empty()) fail("nothing to score: the hypothesis has no segments");
  if (references.empty()) fail("there is no reference to score {} segments against", hypotheses.size());
  for (size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() == hypotheses.size()) continue;
    fail("the hypothesis has {} segments but reference {} has {}: they must be parallel", hypotheses.size(), i + 1,
         references[i].size());
  }
}

std::string lower_case(std::string_view text) {
  if (is_ascii(text)) return lower_case_ascii(text);
  std::string lowered(text.size(), '\0');
  for (;;) {
    UErrorCode status = U_ZERO_ERROR;
    const int32_t needed = ucasemap_utf8ToLower(root_case_map(), lowered.data(), static_cast<int32_t>(lowered.size()),
                                                text.data(), static_cast<int32_t>(text.size()), &status);
    if (status != U_BUFFER_OVERFLOW_ERROR && U_FAILURE(status)) {
      fail("ICU cannot lower-case a line of {} bytes: {}", text.size(), u_errorName(status));
    }
    lowered.resize(static_cast<size_t>(needed));
    if (status != U_BUFFER_OVERFLOW_ERROR) return lowered;
  }
}

bool is_wide_whitespace(char32_t code_point) {
  switch (code_point) {
    case 0x0085:  // next line
    case 0x00A0:  // no-break space
    case 0x1680:  // ogham space
    case 0x2028:  // line separator
    case 0x2029:  // paragraph separator
    case 0x202F:  // narrow no-break space
    case 0x205F:  // mathematical space
    case 0x3000:  // ideographic space
      return true;
    default:
      return code_point >= 0x2000 && code_point <= 0x200A;  // en quad to hair space
  }
}

std::string_view trim_right(std::string_view text) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while ((static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
    size_t position = start;
    if (!is_whitespace(next_code_point(text, position))) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

void split_words(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  size_t word_start = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    if (!is_whitespace(next_code_point(text, position))) continue;
    if (start > word_start) words.push_back(text.substr(word_start, start - word_start));
    word_start = position;
  }
  if (word_start < text.size()) words.push_back(text.substr(word_start));
}

}  // namespace verbund
