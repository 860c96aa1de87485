// SPDX-License-Identifier: Apache-2.0
#include "serve/html_tokens.h"

#include <algorithm>
#include <utility>

#include "text/entities.h"

namespace verbund {
namespace {

constexpr std::string_view kInline[] = {"a",     "abbr", "acronym", "b",      "bdi", "bdo",   "big",  "cite", "del",
                                        "dfn",   "em",   "font",    "i",      "ins", "label", "mark", "q",    "s",
                                        "small", "span", "strike",  "strong", "sub", "sup",   "time", "tt",   "u"};
constexpr std::string_view kInlineVoid[] = {"img", "wbr", "input"};
// Their content is not language, or not of the reader's.
constexpr std::string_view kOpaqueInline[] = {"code", "kbd", "math", "samp", "svg", "var"};
constexpr std::string_view kOpaqueBlock[] = {"pre", "script", "style", "template", "textarea"};

template <size_t size>
bool is_one_of(const std::string_view (&names)[size], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == ':'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return result;
}

// The end of the tag at the beginning, after its '>', which does not count within quotes, unless they are never closed.
size_t tag_end(std::string_view html) {
  char quote = '\0';
  for (size_t i = 1; i < html.size(); ++i) {
    if (quote != '\0') {
      if (html[i] == quote) quote = '\0';
    } else if (html[i] == '>') {
      return i + 1;
    } else if ((html[i] == '"' || html[i] == '\'') && html[i - 1] == '=') {
      quote = html[i];
    }
  }
  return html.find('>') + 1;
}

// The length of the markup at the beginning of the text; 0: there is none. The text has a '>'.
size_t markup_size(std::string_view html) {
  if (html.front() != '<') return 0;
  if (html.starts_with("<!--")) {
    const size_t end = html.find("-->", 4);
    return end == std::string_view::npos ? html.size() : end + 3;
  }
  const bool is_close = html[1] == '/' && is_letter(html[2]);
  if (!is_close && !is_letter(html[1]) && html[1] != '!' && html[1] != '?') return 0;
  return tag_end(html);
}

std::string tag_name(std::string_view tag) {
  const size_t begin = tag[1] == '/' ? 2 : 1;
  size_t end = begin;
  while (end < tag.size() && is_name_character(tag[end])) ++end;
  return lower(tag.substr(begin, end - begin));
}

// The end of the element that begins with a tag of this name, elements of the same name within it included. The whole
// text if it is never closed. `last`: the place of the last '>'.
size_t element_end(std::string_view html, std::string_view name, size_t last) {
  int depth = 0;
  for (size_t i = 0; i < last;) {
    const size_t size = markup_size(html.substr(i));
    if (size == 0) {
      ++i;
      continue;
    }
    const std::string_view tag = html.substr(i, size);
    i += size;
    if (tag[1] == '!' || tag[1] == '?' || tag_name(tag) != name || tag.ends_with("/>")) continue;
    depth += tag[1] == '/' ? -1 : 1;
    if (depth == 0) return i;
  }
  return html.size();
}

bool is_marked_untranslated(std::string_view tag) {
  const std::string text = lower(tag);
  return text.find("translate=\"no\"") != std::string::npos || text.find("translate='no'") != std::string::npos ||
         text.find("translate=no") != std::string::npos || text.find("notranslate") != std::string::npos;
}

HtmlToken markup_token(std::string_view html, size_t size, size_t last) {
  const std::string_view tag = html.substr(0, size);
  const auto token = [](HtmlKind kind, std::string_view text, std::string name = "") {
    return HtmlToken{kind, std::string(text), std::move(name)};
  };
  if (tag.starts_with("<!--")) return token(HtmlKind::kAtom, tag);
  if (tag[1] == '!' || tag[1] == '?') return token(HtmlKind::kBreak, tag);
  std::string name = tag_name(tag);
  const bool is_close = tag[1] == '/', is_inline = is_one_of(kInline, name);
  if (is_one_of(kInlineVoid, name)) return token(HtmlKind::kAtom, tag, name);
  if (is_close) return token(is_inline ? HtmlKind::kClose : HtmlKind::kBreak, tag, name);
  if (tag.ends_with("/>")) return token(is_inline ? HtmlKind::kAtom : HtmlKind::kBreak, tag, name);
  const bool is_opaque_inline = is_one_of(kOpaqueInline, name);
  if (is_opaque_inline || is_one_of(kOpaqueBlock, name) || (is_marked_untranslated(tag) && name != "br")) {
    const std::string_view element = html.substr(0, element_end(html, name, last));
    return token(is_inline || is_opaque_inline ? HtmlKind::kAtom : HtmlKind::kBreak, element, name);
  }
  return token(is_inline ? HtmlKind::kOpen : HtmlKind::kBreak, tag, name);
}

}  // namespace

std::vector<HtmlToken> html_tokens(std::string_view html) {
  std::vector<HtmlToken> tokens;
  size_t text_begin = 0;
  const auto end_text = [&](size_t end) {
    if (end > text_begin) {
      const std::string_view text = html.substr(text_begin, end - text_begin);
      tokens.push_back({HtmlKind::kText, decode_entities(text, EntityNames::kHtml), ""});
    }
  };
  const size_t found = html.rfind('>'), last = found == std::string_view::npos ? 0 : found;
  for (size_t i = 0; i < last;) {
    const size_t size = markup_size(html.substr(i));
    if (size == 0) {
      ++i;
      continue;
    }
    end_text(i);
    tokens.push_back(markup_token(html.substr(i), size, last - i));
    i += tokens.back().text.size();
    text_begin = i;
  }
  end_text(html.size());
  return tokens;
}

}  // namespace verbund
