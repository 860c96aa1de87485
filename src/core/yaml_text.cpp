// SPDX-License-Identifier: Apache-2.0
#include "core/yaml_text.h"

#include <fmt/format.h>

namespace verbund {

std::string yaml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const std::string_view three = text.substr(i, 3);
    if (c == '"' || c == '\\') {
      quoted += {'\\', text[i]};
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\x{:02x}", c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F: control characters
      quoted += fmt::format("\\x{:02x}", next);
      ++i;
    } else if (three == "\u2028" || three == "\u2029" || three == "\ufeff") {  // line ends and the mark of byte order
      quoted += three == "\u2028" ? "\\u2028" : three == "\u2029" ? "\\u2029" : "\\ufeff";
      i += 2;
    } else {
      quoted += text[i];
    }
  }
  return quoted + "\"";
}

}  // namespace verbund
