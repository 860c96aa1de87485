// SPDX-License-Identifier: Apache-2.0
#include "text/clean.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"

namespace verbund {
namespace {

enum class Role { kText, kSpace, kNothing };

Role role(char32_t c) {
  if (c < 0x80) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) return Role::kSpace;
    return c < 0x20 || c == 0x7F ? Role::kNothing : Role::kText;
  }
  // Zero-width space, byte-order mark and word joiner are not text; joiners (U+200C/D) are.
  if (c == 0x200B || c == 0xFEFF || c == 0x2060) return Role::kNothing;
  if (c == 0x85 || u_isUWhiteSpace(static_cast<UChar32>(c))) return Role::kSpace;
  return u_charType(static_cast<UChar32>(c)) == U_CONTROL_CHAR ? Role::kNothing : Role::kText;
}

// Appends `text` with single spaces and without control characters.
void append_visible(std::string_view text, std::string& result) {
  bool space = false;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    switch (role(next_code_point(text, i))) {
      case Role::kNothing:
        break;
      case Role::kSpace:
        space = true;
        break;
      case Role::kText:
        if (space && !result.empty()) result.push_back(' ');
        space = false;
        result.append(text.substr(begin, i - begin));
        break;
    }
  }
}

// True for most lines of most corpora: printable ASCII with single spaces inside.
bool is_tidy_ascii(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() == ' ' || text.back() == ' ') return false;
  char previous = 'x';
  for (const char c : text) {
    if (c < ' ' || c == 0x7F || (c == ' ' && previous == ' ')) return false;  // char is signed: c < ' ' covers >= 0x80
    previous = c;
  }
  return true;
}

const icu::Normalizer2& normalizer(UnicodeForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* instance =
      form == UnicodeForm::kNfkc ? icu::Normalizer2::getNFKCInstance(status) : icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status)) fail("ICU has no normaliser: {}", u_errorName(status));
  return *instance;
}

}  // namespace

void normalize_line(std::string_view text, UnicodeForm form, std::string& result) {
  static_assert(static_cast<char>(0x80) < 0, "is_tidy_ascii relies on a signed char");
  if (is_tidy_ascii(text)) {
    result.assign(text);
    return;
  }
  result.clear();
  if (form == UnicodeForm::kNone || is_ascii(text)) {
    append_visible(text, result);
    return;
  }
  // Normalise first: NFKC turns some characters into spaces.
  std::string normal;
  icu::StringByteSink<std::string> sink(&normal);
  UErrorCode status = U_ZERO_ERROR;
  normalizer(form).normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink, nullptr,
                                 status);
  if (U_FAILURE(status)) fail("cannot normalise a line: {}", u_errorName(status));
  append_visible(normal, result);
}

size_t count_words(std::string_view text) {
  if (text.empty()) return 0;
  return 1 + static_cast<size_t>(std::count(text.begin(), text.end(), ' '));
}

}  // namespace verbund
