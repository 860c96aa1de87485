// SPDX-License-Identifier: Apache-2.0
// The format looks like SGML, but the text of a segment may contain a bare `&` or `<`, which no parser accepts. So only
// the <seg> tags are searched for, and what is not a known entity is text.
#include "fetch/sgm.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/utf8.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr size_t kLargestSgm = 256 << 20;
constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";
constexpr std::pair<std::string_view, char32_t> kEntities[] = {
    {"amp", U'&'}, {"lt", U'<'}, {"gt", U'>'}, {"quot", U'"'}, {"apos", U'\''}};

bool is_space(char c) { return kWhiteSpace.find(c) != std::string_view::npos; }

// Finds `tag` ("<seg", "</seg") from `position` on, ignoring case, and not as the beginning of a longer name
// ("<segment"); npos if there is none.
size_t find_tag(std::string_view sgm, std::string_view tag, size_t position) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
  for (; (position = sgm.find('<', position)) != std::string_view::npos; ++position) {
    const std::string_view here = sgm.substr(position, tag.size());
    const size_t after = position + tag.size();
    if (after < sgm.size() && std::equal(here.begin(), here.end(), tag.begin(), tag.end(), same) &&
        (is_space(sgm[after]) || sgm[after] == '>')) {
      return position;
    }
  }
  return std::string_view::npos;
}

// The `>` of the tag that begins at `position`, not one inside a quoted attribute.
size_t end_of_tag(std::string_view sgm, size_t position) {
  char quote = 0;
  for (; position < sgm.size(); ++position) {
    const char c = sgm[position];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return position;
    }
  }
  return std::string_view::npos;
}

// The character that an entity's name ("amp", "#228", "#xE4") stands for, or 0.
char32_t decode_entity(std::string_view name) {
  for (const auto& [known, character] : kEntities) {
    if (name == known) return character;
  }
  if (!name.starts_with('#')) return 0;
  name.remove_prefix(1);
  const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
  if (hexadecimal) name.remove_prefix(1);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(name.begin(), name.end(), value, hexadecimal ? 16 : 10);
  const bool is_character = value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return error == std::errc() && end == name.end() && is_character ? char32_t{value} : 0;
}

std::string decode_entities(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '&') {
      constexpr size_t kLongestEntity = 12;
      const size_t found = text.substr(i, kLongestEntity).find(';');
      const size_t end = found == std::string_view::npos ? found : i + found;
      const char32_t character = end == std::string_view::npos ? 0 : decode_entity(text.substr(i + 1, end - i - 1));
      if (character != 0) {
        append_code_point(decoded, character);
        i = end + 1;
        continue;
      }
    }
    decoded += text[i++];
  }
  return decoded;
}

std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!is_space(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace

std::vector<std::string> sgm_segments(std::string_view sgm, const std::string& name) {
  std::vector<std::string> segments;
  size_t position = 0;
  while ((position = find_tag(sgm, "<seg", position)) != std::string_view::npos) {
    const size_t open = end_of_tag(sgm, position);
    const size_t close = open == std::string_view::npos ? open : find_tag(sgm, "</seg", open);
    if (close == std::string_view::npos || find_tag(sgm, "<seg", open) < close) {
      fail("{}, line {}: this <seg> has no </seg>. The file is damaged or not a WMT .sgm file.", name,
           1 + std::count(sgm.begin(), sgm.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
    }
    segments.push_back(with_single_spaces(decode_entities(sgm.substr(open + 1, close - open - 1))));
    position = close;
  }
  return segments;
}

void convert_sgm(const std::filesystem::path& sgm, const std::filesystem::path& text) {
  std::string content, block(1 << 20, '\0');
  const std::unique_ptr<ByteSource> source = open_bytes(sgm);
  while (const size_t size = source->read(block.data(), block.size())) {
    content.append(block, 0, size);
    if (content.size() > kLargestSgm) {
      fail("{} has more than {}: it is not a WMT .sgm file", sgm.string(), human_bytes(kLargestSgm));
    }
  }
  const std::vector<std::string> segments = sgm_segments(content, sgm.string());
  if (segments.empty()) fail("{} holds no <seg>: it is not a WMT .sgm file", sgm.string());
  AtomicFile output(text);
  for (const std::string& segment : segments) {
    output.write(segment);
    output.write("\n");
  }
  output.commit();
}

}  // namespace verbund
