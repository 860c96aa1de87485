// SPDX-License-Identifier: Apache-2.0
#include "text/xml_bytes.h"

#include <strings.h>

#include <algorithm>

#include "core/byte_order_mark.h"
#include "core/utf8.h"

namespace verbund {
namespace {

constexpr std::string_view kMark = "\xEF\xB7\x90";  // U+FDD0, which XML allows, but no text has
constexpr size_t kProlog = 256;                     // bytes in which a file names its encoding

// Whether the bytes after a possible byte order mark are UTF-8, by the declaration: <?xml ... encoding="UTF-8"?>.
bool declares_utf8(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF") || start.substr(0, 4).find('\0') != start.npos) {
    return false;  // UTF-16
  }
  start = without_byte_order_mark(start);
  if (!start.starts_with("<?xml")) return true;  // other tags have attributes of that name, too
  const std::string_view declaration = start.substr(0, start.find("?>"));
  const size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return true;
  const size_t quote = declaration.find_first_of("\"'", at);
  if (quote == std::string_view::npos) return true;
  const std::string_view name = declaration.substr(quote + 1);
  return name.size() >= 5 && (strncasecmp(name.data(), "utf-8", 5) == 0 || strncasecmp(name.data(), "us-as", 5) == 0);
}

// Bytes of the character that begins with this one; 0 if none does.
size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// ASCII that XML allows.
bool is_plain(unsigned char c) { return c < 0x80 && (c >= 0x20 || c == '\t' || c == '\n' || c == '\r'); }

// Appends `raw` repaired to `result`; returns how many bytes were used: a character that is cut at the end is left for
// the next time, unless there is none.
size_t repair(std::string_view raw, bool is_last, std::string& result) {
  for (size_t i = 0; i < raw.size();) {
    const size_t plain = i;
    while (i < raw.size() && is_plain(static_cast<unsigned char>(raw[i]))) ++i;
    result.append(raw.substr(plain, i - plain));
    if (i == raw.size()) break;
    const auto first = static_cast<unsigned char>(raw[i]);
    const size_t length = length_of(first);
    if (length > raw.size() - i && !is_last) return i;
    const bool is_character = length > 1 && length <= raw.size() - i && is_utf8(raw.substr(i, length));
    if (is_character) {
      result.append(raw.substr(i, length));
    } else if (first >= 0x80) {
      result.append(kMark);
    }
    i += is_character ? length : 1;
  }
  return raw.size();
}

}  // namespace

XmlBytes::XmlBytes(const std::filesystem::path& path) : source_(open_bytes(path)) {}

size_t XmlBytes::read(std::string& buffer) {
  const size_t wanted = std::max(buffer.size(), kProlog);
  buffer.clear();
  while (buffer.empty() && !(ended_ && raw_.empty())) {
    while (!ended_ && raw_.size() < wanted) {
      const size_t before = raw_.size();
      raw_.resize(wanted);
      const size_t count = source_->read(raw_.data() + before, wanted - before);
      raw_.resize(before + count);
      ended_ = count == 0;
    }
    if (!started_) is_utf8_ = declares_utf8(raw_);
    started_ = true;
    if (!is_utf8_) {
      buffer.swap(raw_);
    } else {
      raw_.erase(0, repair(raw_, ended_, buffer));
    }
  }
  return buffer.size();
}

std::string marks_to_invalid_bytes(std::string_view text) {
  std::string result;
  for (size_t mark; (mark = text.find(kMark)) != text.npos; text.remove_prefix(mark + kMark.size())) {
    result.append(text.substr(0, mark)).append(1, '\xFF');
  }
  return result.append(text);
}

}  // namespace verbund
