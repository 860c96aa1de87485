// SPDX-License-Identifier: Apache-2.0
// HtmlToken is a piece of an HTML text: words to translate, or markup that stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbund {

enum class HtmlKind {
  kText,   // decoded
  kOpen,   // of an element within a sentence: <b>
  kClose,  // </b>
  kAtom,   // within a sentence, without content to translate: <img>, a comment, <code>...</code>
  kBreak,  // between sentences: <p>, </td>, <br>, <script>...</script>
};

struct HtmlToken {
  HtmlKind kind;
  std::string text;  // as it stands; of kText: decoded
  std::string name;  // of an element, in lower case
};

// Any text gives tokens: what is not markup is text.
std::vector<HtmlToken> html_tokens(std::string_view html);

}  // namespace verbund
