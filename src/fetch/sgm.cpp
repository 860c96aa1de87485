// SPDX-License-Identifier: Apache-2.0
// The format looks like SGML, but the text of a segment may contain a bare `&` or `<`, which no parser accepts. So only
// the <seg> tags are searched for, and what is not a known entity is text.
#include "fetch/sgm.h"

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "text/entities.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr size_t kLargestSgm = 256 << 20;
constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";

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
    const std::string_view content = sgm.substr(open + 1, close - open - 1);
    segments.push_back(with_single_spaces(decode_entities(content, EntityNames::kXml)));
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
