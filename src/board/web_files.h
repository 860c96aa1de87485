// SPDX-License-Identifier: Apache-2.0
// The files of the live page, compiled into the program from src/board/web and Debian's dygraphs.
#pragma once

#include <optional>
#include <string_view>

namespace verbund {

struct WebFile {
  std::string_view text;
  std::string_view type;  // "text/css"
};

// The file for the path of a request, "/" or "/web/board.css"; nothing for any other path.
std::optional<WebFile> find_web_file(std::string_view path);

}  // namespace verbund
