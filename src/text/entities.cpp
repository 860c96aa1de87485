// SPDX-License-Identifier: Apache-2.0
#include "text/entities.h"

#include <charconv>
#include <span>
#include <utility>

#include "core/utf8.h"

namespace verbund {
namespace {

constexpr std::pair<std::string_view, char32_t> kNames[] = {
    {"amp", U'&'},    {"lt", U'<'},     {"gt", U'>'},     {"quot", U'"'},     {"apos", U'\''},  // XML's
    {"auml", U'ä'},   {"ouml", U'ö'},   {"uuml", U'ü'},   {"Auml", U'Ä'},     {"Ouml", U'Ö'},
    {"Uuml", U'Ü'},   {"szlig", U'ß'},  {"eacute", U'é'}, {"egrave", U'è'},   {"agrave", U'à'},
    {"ccedil", U'ç'}, {"ntilde", U'ñ'}, {"ndash", U'–'},  {"mdash", U'—'},    {"hellip", U'…'},
    {"lsquo", U'‘'},  {"rsquo", U'’'},  {"ldquo", U'“'},  {"rdquo", U'”'},    {"bdquo", U'„'},
    {"laquo", U'«'},  {"raquo", U'»'},  {"euro", U'€'},   {"shy", U'\u00ad'}, {"nbsp", U'\u00a0'}};
constexpr size_t kXmlNames = 5;

// The character that a name ("amp", "#228", "#xE4") stands for; 0: none.
char32_t entity_character(std::string_view name, EntityNames names) {
  if (name.starts_with('#')) {
    const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    name.remove_prefix(is_hex ? 2 : 1);
    uint32_t code = 0;
    const auto [rest, error] = std::from_chars(name.begin(), name.end(), code, is_hex ? 16 : 10);
    const bool is_valid = error == std::errc() && rest == name.end() && code <= 0x10ffff &&
                          (code < 0xd800 || code > 0xdfff) && (code >= 0x20 || names == EntityNames::kXml);
    return is_valid ? char32_t{code} : 0;
  }
  const size_t count = names == EntityNames::kXml ? kXmlNames : std::size(kNames);
  for (const auto& [known, character] : std::span(kNames, count)) {
    if (known == name) return character;
  }
  return 0;
}

}  // namespace

std::string decode_entities(std::string_view text, EntityNames names) {
  std::string result;
  constexpr size_t kLongest = 12;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text[i] == '&' ? text.substr(i, kLongest).find(';') : std::string_view::npos;
    const char32_t character = end == std::string_view::npos ? 0 : entity_character(text.substr(i + 1, end - 1), names);
    if (character != 0) {
      append_code_point(result, character);
      i += end;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string encode_entities(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace verbund
