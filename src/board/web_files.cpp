// SPDX-License-Identifier: Apache-2.0
#include "board/web_files.h"

#include <span>

#include "core/builtin_file.h"

namespace verbund {

std::span<const BuiltinFile> builtin_web_files();
std::span<const BuiltinFile> builtin_dygraphs();
std::span<const BuiltinFile> builtin_styles();  // of the report's page

std::optional<WebFile> find_web_file(std::string_view path) {
  constexpr std::string_view kFolder = "/web/";
  const std::string_view name = path == "/"                 ? "index.html"
                                : path.starts_with(kFolder) ? path.substr(kFolder.size())
                                                            : "";
  if (name == "page.css") return WebFile{builtin_styles().front().text, "text/css; charset=utf-8"};
  for (const std::span<const BuiltinFile> files : {builtin_web_files(), builtin_dygraphs()}) {
    for (const BuiltinFile& file : files) {
      if (file.name != name || (name == "index.html" && path != "/")) continue;
      if (name.ends_with(".html")) return WebFile{file.text, "text/html; charset=utf-8"};
      if (name.ends_with(".css")) return WebFile{file.text, "text/css; charset=utf-8"};
      return WebFile{file.text, "text/javascript; charset=utf-8"};
    }
  }
  return std::nullopt;
}

}  // namespace verbund
